"""`reflow/data/experimental_names.py`: what TensorFlow prints for the expressions of `experimental_names.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
