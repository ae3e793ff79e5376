"""`reflow/api/random/generator.py`: what TensorFlow prints for the expressions of `generator.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
