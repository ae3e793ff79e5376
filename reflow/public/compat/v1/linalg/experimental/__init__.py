# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.linalg.experimental`: the names of `tf.linalg.experimental`."""

from reflow.public.linalg.experimental import *
