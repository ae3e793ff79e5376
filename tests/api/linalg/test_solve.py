"""`reflow/api/linalg/solve.py`: what TensorFlow prints for the expressions of `solve.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
