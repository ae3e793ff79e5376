"""`tf.compat.v1.metrics`: metrics that accumulate over batches, in local variables of the graph."""
