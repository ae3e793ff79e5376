"""`reflow/api/numpy/reductions.py`: what TensorFlow prints for the expressions of `reductions.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
