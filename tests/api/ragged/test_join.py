"""`reflow/api/ragged/join.py`: what TensorFlow prints for the expressions of `join.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
