"""`tf.distribute`: what TensorFlow prints about a cluster (communication)."""

from tests.expressions import session

test_expressions = session(__file__)
