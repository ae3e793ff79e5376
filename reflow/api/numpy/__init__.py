"""`tf.experimental.numpy`: NumPy's functions on tensors. `arrays.py` says how arguments become tensors of a common dtype."""
