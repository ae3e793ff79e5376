"""`reflow/api/control/py_functions.py`: what TensorFlow prints for the expressions of `py_functions.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
