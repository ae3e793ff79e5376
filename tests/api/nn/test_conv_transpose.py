"""`reflow/api/nn/conv_transpose.py`: what TensorFlow prints for the expressions of `conv_transpose.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
