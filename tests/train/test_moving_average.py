"""`reflow/train/moving_average.py`: what TensorFlow prints for the expressions of `moving_average.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
