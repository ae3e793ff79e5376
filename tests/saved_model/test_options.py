"""`reflow/saved_model/options.py`: what TensorFlow prints for the expressions of `options.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
