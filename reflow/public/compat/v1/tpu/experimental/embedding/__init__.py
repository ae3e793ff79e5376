# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.tpu.experimental.embedding`: the names of `tf.tpu.experimental.embedding`."""

from reflow.public.tpu.experimental.embedding import *
