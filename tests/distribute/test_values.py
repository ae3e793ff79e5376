"""`reflow/distribute/values.py`: what TensorFlow prints for the expressions of `values.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
