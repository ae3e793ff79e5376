"""`reflow/api/linalg/lu.py`: what TensorFlow prints for the expressions of `lu.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
