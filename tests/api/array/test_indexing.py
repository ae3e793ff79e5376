"""`reflow/api/array/indexing.py`: what TensorFlow prints for the expressions of `indexing.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
