# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.tpu.experimental`: the names of `tf.tpu.experimental`."""

from reflow.public.tpu.experimental import *
