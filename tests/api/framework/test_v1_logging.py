"""`reflow/api/framework/v1_logging.py`: what TensorFlow prints for the expressions of `v1_logging.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
