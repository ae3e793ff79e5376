"""`reflow/api/numpy/arrays.py`: what TensorFlow prints for the expressions of `arrays.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
