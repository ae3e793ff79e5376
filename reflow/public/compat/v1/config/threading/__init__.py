# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.config.threading`: the names of `tf.config.threading`."""

from reflow.public.config.threading import *
