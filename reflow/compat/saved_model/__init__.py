"""`tf.compat.v1.saved_model`: SavedModels as TensorFlow 1 writes and reads them."""
