"""`reflow/api/array/basics.py`: what TensorFlow prints for the expressions of `basics.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
