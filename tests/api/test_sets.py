"""`reflow/api/sets.py`: what TensorFlow prints for the expressions of `sets.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
