# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.quantization`: the names of `tf.quantization`."""

from reflow.public.quantization import *
