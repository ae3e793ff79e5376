"""`reflow/api/framework/core_names.py`: what TensorFlow prints for the expressions of `core_names.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
