"""`reflow/api/ragged/constants.py`: what TensorFlow prints for the expressions of `constants.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
