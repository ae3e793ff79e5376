"""`reflow/api/math/segment.py`: what TensorFlow prints for the expressions of `segment.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
