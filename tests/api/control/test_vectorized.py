"""`reflow/api/control/vectorized.py`: what TensorFlow prints for the expressions of `vectorized.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
