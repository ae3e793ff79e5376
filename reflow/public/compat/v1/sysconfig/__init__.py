# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.sysconfig`: the names of `tf.sysconfig`."""

from reflow.public.sysconfig import *
