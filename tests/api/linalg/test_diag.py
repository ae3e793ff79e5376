"""`reflow/api/linalg/diag.py`: what TensorFlow prints for the expressions of `diag.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
