"""`tf.tpu`: the parts that need no TPU: topologies, and the embedding tables of models trained on TPUs and served on CPUs."""
