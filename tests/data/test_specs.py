"""`reflow/data/specs.py`: what TensorFlow prints for the expressions of `specs.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
