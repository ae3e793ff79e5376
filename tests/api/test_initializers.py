"""`reflow/api/initializers.py`: what TensorFlow prints for the expressions of `initializers.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
