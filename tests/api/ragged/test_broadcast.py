"""`reflow/api/ragged/broadcast.py`: what TensorFlow prints for the expressions of `broadcast.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
