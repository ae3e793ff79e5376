"""`reflow/api/nn/dropout.py`: what TensorFlow prints for the expressions of `dropout.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
