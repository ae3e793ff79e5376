"""`reflow/data/functions.py`: what TensorFlow prints for the expressions of `functions.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
