"""`reflow/api/framework/version.py`: what TensorFlow prints for the expressions of `version.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
