"""`tensorflow.python.profiler`: names without a public home."""
