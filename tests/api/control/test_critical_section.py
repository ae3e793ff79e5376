"""`reflow/api/control/critical_section.py`: what TensorFlow prints for the expressions of `critical_section.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
