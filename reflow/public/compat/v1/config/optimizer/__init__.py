# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.config.optimizer`: the names of `tf.config.optimizer`."""

from reflow.public.config.optimizer import *
