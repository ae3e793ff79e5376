"""`reflow/api/numpy/shaping.py`: what TensorFlow prints for the expressions of `shaping.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
