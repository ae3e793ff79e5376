"""`reflow/api/nn/conv.py`: what TensorFlow prints for the expressions of `conv.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
