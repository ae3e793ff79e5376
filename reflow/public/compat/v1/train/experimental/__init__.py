# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.train.experimental`: the names of `tf.train.experimental`."""

from reflow.public.train.experimental import *
