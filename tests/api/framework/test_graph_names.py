"""`reflow/api/framework/graph_names.py`: what TensorFlow prints for the expressions of `graph_names.txt`."""

from tests.expressions import session

test_expressions = session(__file__)
