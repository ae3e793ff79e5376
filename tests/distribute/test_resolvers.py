"""`tf.distribute`: what TensorFlow prints about a cluster (resolvers)."""

from tests.expressions import session

test_expressions = session(__file__)
