# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.signal`: the names of `tf.signal`."""

from reflow.public.signal import *
