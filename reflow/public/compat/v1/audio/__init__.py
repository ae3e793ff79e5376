# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.audio`: the names of `tf.audio`."""

from reflow.public.audio import *
