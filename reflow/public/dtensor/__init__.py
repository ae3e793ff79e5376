# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.dtensor`."""

from reflow.public.dtensor import proto as proto
