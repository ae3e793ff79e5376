"""`tf.compat.v1.distribute`: version 1 strategies."""
