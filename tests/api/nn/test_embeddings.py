"""`reflow/api/nn/embeddings.py`: what TensorFlow prints for the expressions of `embeddings.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
