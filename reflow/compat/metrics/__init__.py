"""`tf.compat.v1.metrics`: metrics that grow batch by batch, in local variables of the graph."""
