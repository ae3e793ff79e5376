"""`reflow/train/coordinator.py`: what TensorFlow prints for the expressions of `coordinator.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
