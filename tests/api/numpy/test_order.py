"""`reflow/api/numpy/order.py`: what TensorFlow prints for the expressions of `order.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
