"""`reflow/api/math/unary.py`: what TensorFlow prints for the expressions of `unary.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
