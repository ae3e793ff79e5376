# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.random.experimental`: the names of `tf.random.experimental`."""

from reflow.public.random.experimental import *
