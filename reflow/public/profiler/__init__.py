# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.profiler`: profiles for TensorBoard."""

from reflow.public.profiler import experimental as experimental
