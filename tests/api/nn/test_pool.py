"""`reflow/api/nn/pool.py`: what TensorFlow prints for the expressions of `pool.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
