"""`reflow/io/examples.py`: what TensorFlow prints for the expressions of `examples.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
