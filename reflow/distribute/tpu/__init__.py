"""`tf.tpu`: what needs no TPU. Topologies and the embedding tables of models that were trained on TPUs and serve on CPUs."""
