"""`reflow/api/nn/losses.py`: what TensorFlow prints for the expressions of `losses.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
