"""`reflow/api/quantization.py`: what TensorFlow prints for the expressions of `quantization.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
