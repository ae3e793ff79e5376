"""`reflow/api/ragged/row_partition_spec.py`: what TensorFlow prints for the expressions of `row_partition_spec.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
