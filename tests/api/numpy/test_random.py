"""`reflow/api/numpy/random.py`: what TensorFlow prints for the expressions of `random.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
