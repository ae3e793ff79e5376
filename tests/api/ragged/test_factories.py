"""`reflow/api/ragged/factories.py`: what TensorFlow prints for the expressions of `factories.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
