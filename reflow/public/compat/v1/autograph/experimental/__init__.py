# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.autograph.experimental`: the names of `tf.autograph.experimental`."""

from reflow.public.autograph.experimental import *
