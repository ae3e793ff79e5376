"""`reflow/api/framework/tracking.py`: what TensorFlow prints for the expressions of `tracking.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
