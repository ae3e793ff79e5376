"""`reflow/api/nn/backprop.py`: what TensorFlow prints for the expressions of `backprop.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
