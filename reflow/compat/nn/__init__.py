"""`tf.compat.v1.nn`, except what is in `reflow/compat/convolutions.py` and other files of that folder."""
