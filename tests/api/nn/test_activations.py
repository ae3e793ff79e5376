"""`reflow/api/nn/activations.py`: what TensorFlow prints for the expressions of `activations.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
