"""`tf.compat.v1.distribute`: strategies as version 1 has them."""
