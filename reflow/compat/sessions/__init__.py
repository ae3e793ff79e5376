"""The parts of `tf.compat.v1.Session`: fetches, partial runs, traces of runs."""
