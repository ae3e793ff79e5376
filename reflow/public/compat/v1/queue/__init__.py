# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.queue`: the names of `tf.queue`."""

from reflow.public.queue import *
