# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.experimental.extension_type`: the names of `tf.experimental.extension_type`."""

from reflow.public.experimental.extension_type import *
