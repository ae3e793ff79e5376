"""`reflow/api/control/branches.py`: what TensorFlow prints for the expressions of `branches.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
