"""`reflow/api/experimental_numpy.py`: what TensorFlow prints for the expressions of `experimental_numpy.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
