"""`tf.experimental.numpy`: NumPy's functions on tensors.

`arrays.py` converts arguments to tensors of a common dtype.
"""
