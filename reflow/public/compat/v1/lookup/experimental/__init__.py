# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.lookup.experimental`: the names of `tf.lookup.experimental`."""

from reflow.public.lookup.experimental import *
