"""`reflow/api/ragged/row_partition.py`: what TensorFlow prints for the expressions of `row_partition.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
