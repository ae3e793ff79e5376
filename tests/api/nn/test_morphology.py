"""`reflow/api/nn/morphology.py`: what TensorFlow prints for the expressions of `morphology.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
