"""`reflow/data/elements.py`: what TensorFlow prints for the expressions of `elements.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
