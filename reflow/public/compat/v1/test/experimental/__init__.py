# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.test.experimental`: the names of `tf.test.experimental`."""

from reflow.public.test.experimental import *
