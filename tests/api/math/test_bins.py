"""`reflow/api/math/bins.py`: what TensorFlow prints for the expressions of `bins.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
