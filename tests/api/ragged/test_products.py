"""`reflow/api/ragged/products.py`: what TensorFlow prints for the expressions of `products.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
