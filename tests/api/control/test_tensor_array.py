"""`reflow/api/control/tensor_array.py`: what TensorFlow prints for the expressions of `tensor_array.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
