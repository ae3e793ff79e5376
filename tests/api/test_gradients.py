"""`reflow/api/gradients.py`: what TensorFlow prints for the expressions of `gradients.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
