"""`reflow/api/math/arithmetic.py`: what TensorFlow prints for the expressions of `arithmetic.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
