"""`reflow/api/ragged/reduce.py`: what TensorFlow prints for the expressions of `reduce.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
