"""`reflow/api/ragged/crosses.py`: what TensorFlow prints for the expressions of `crosses.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
