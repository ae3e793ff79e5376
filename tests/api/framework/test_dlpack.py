"""`reflow/api/framework/dlpack.py`: what TensorFlow prints for the expressions of `dlpack.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
