"""`reflow/data/sources.py`: what TensorFlow prints for the expressions of `sources.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
