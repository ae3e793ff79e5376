"""`tf.distribute`: what TensorFlow prints about a cluster (cluster_spec)."""

from tests.expressions import session

test_expressions = session(__file__)
