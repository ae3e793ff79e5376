"""`reflow/api/array/blocks.py`: what TensorFlow prints for the expressions of `blocks.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
