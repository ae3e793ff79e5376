"""`reflow/api/numpy/creation.py`: what TensorFlow prints for the expressions of `creation.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
