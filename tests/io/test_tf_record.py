"""`reflow/io/tf_record.py`: what TensorFlow prints for the expressions of `tf_record.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
