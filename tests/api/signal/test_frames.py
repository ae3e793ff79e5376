"""`reflow/api/signal/frames.py`: what TensorFlow prints for the expressions of `frames.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
