"""`reflow/api/nn/candidates.py`: what TensorFlow prints for the expressions of `candidates.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
