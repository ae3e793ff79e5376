"""`reflow/api/signal/fft.py`: what TensorFlow prints for the expressions of `fft.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
