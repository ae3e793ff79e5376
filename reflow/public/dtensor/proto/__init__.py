# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.dtensor.proto`."""

from reflow.public.dtensor.proto import layout_pb2 as layout_pb2
