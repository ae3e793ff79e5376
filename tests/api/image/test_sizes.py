"""`reflow/api/image/sizes.py`: what TensorFlow prints for the expressions of `sizes.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
