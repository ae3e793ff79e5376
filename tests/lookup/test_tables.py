"""`reflow/lookup/tables.py`: what TensorFlow prints for the expressions of `tables.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
