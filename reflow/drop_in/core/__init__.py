"""Names of TensorFlow's private modules below `tensorflow.core` that are Python: the types of functions."""
