"""`reflow/api/numpy/elementwise.py`: what TensorFlow prints for the expressions of `elementwise.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
