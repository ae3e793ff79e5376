"""What `tf.compat.v1.Session` is made of: fetches, runs in steps, traces of runs."""
