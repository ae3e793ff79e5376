"""`reflow/api/ragged/rearrange.py`: what TensorFlow prints for the expressions of `rearrange.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
