"""`tf.compat.v1.distributions`: probability distributions, their samples, densities and moments."""
