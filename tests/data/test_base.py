"""`reflow/data/base.py`: what TensorFlow prints for the expressions of `base.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
