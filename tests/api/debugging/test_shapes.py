"""`reflow/api/debugging/shapes.py`: what TensorFlow prints for the expressions of `shapes.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
