"""`reflow/api/audio.py`: what TensorFlow prints for the expressions of `audio.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
