"""`reflow/devices/names.py`: what TensorFlow prints for the expressions of `names.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
