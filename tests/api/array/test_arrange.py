"""`reflow/api/array/arrange.py`: what TensorFlow prints for the expressions of `arrange.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
