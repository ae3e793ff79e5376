# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.io.gfile`: the names of `tf.io.gfile`."""

from reflow.public.io.gfile import *
