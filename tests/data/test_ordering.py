"""`reflow/data/ordering.py`: what TensorFlow prints for the expressions of `ordering.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
