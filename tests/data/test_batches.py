"""`reflow/data/batches.py`: what TensorFlow prints for the expressions of `batches.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
