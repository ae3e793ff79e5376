"""`reflow/api/linalg/banded.py`: what TensorFlow prints for the expressions of `banded.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
