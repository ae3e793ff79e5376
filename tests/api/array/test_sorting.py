"""`reflow/api/array/sorting.py`: what TensorFlow prints for the expressions of `sorting.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
