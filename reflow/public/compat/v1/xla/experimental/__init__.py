# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.xla.experimental`: the names of `tf.xla.experimental`."""

from reflow.public.xla.experimental import *
