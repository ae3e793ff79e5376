"""`tf.tpu`: what needs no TPU: topologies, and embedding tables of models trained on TPUs and served on CPUs."""
