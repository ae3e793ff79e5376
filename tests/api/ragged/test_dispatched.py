"""`reflow/api/ragged/dispatched.py`: what TensorFlow prints for the expressions of `dispatched.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
