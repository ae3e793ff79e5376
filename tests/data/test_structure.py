"""`reflow/data/structure.py`: what TensorFlow prints for the expressions of `structure.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
