"""`reflow/api/nn/dilation.py`: what TensorFlow prints for the expressions of `dilation.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
