"""`reflow/api/control/functional.py`: what TensorFlow prints for the expressions of `functional.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
