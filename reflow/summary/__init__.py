"""`tf.summary` and `tf.profiler`: what TensorBoard shows."""
