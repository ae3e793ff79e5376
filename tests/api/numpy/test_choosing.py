"""`reflow/api/numpy/choosing.py`: what TensorFlow prints for the expressions of `choosing.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
