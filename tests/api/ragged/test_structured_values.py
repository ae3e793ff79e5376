"""`reflow/api/ragged/structured_values.py`: what TensorFlow prints for the expressions of `structured_values.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
