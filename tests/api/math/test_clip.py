"""`reflow/api/math/clip.py`: what TensorFlow prints for the expressions of `clip.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
