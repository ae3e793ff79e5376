"""`reflow/api/math/statistics.py`: what TensorFlow prints for the expressions of `statistics.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
