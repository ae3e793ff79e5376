"""`reflow/api/operators.py`: what TensorFlow prints for the expressions of `operators.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
