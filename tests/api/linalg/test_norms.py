"""`reflow/api/linalg/norms.py`: what TensorFlow prints for the expressions of `norms.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
