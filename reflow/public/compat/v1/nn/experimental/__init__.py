# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.nn.experimental`: the names of `tf.nn.experimental`."""

from reflow.public.nn.experimental import *
