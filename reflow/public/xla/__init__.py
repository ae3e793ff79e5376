# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.xla`."""

from reflow.public.xla import experimental as experimental
