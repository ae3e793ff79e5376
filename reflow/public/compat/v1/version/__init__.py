# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.version`: the names of `tf.version`."""

from reflow.public.version import *
