# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.math.special`: the names of `tf.math.special`."""

from reflow.public.math.special import *
