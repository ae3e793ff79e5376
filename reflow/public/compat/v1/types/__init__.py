# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.types`."""

from reflow.public.compat.v1.types import experimental as experimental
