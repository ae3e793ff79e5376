"""`reflow/api/math/logic.py`: what TensorFlow prints for the expressions of `logic.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
