"""`reflow/api/math/special.py`: what TensorFlow prints for the expressions of `special.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
