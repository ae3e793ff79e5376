"""`reflow/data/dataset.py`: what TensorFlow prints for the expressions of `dataset.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
