# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.nest`: the names of `tf.nest`."""

from reflow.public.nest import *
