"""`reflow/api/nn/ctc.py`: what TensorFlow prints for the expressions of `ctc.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
