"""`reflow/api/numpy/joining.py`: what TensorFlow prints for the expressions of `joining.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
