"""`reflow/api/ragged/shape.py`: what TensorFlow prints for the expressions of `shape.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
