"""`reflow/api/ragged/gather.py`: what TensorFlow prints for the expressions of `gather.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
