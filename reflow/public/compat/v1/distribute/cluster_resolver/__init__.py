# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.distribute.cluster_resolver`: the names of `tf.distribute.cluster_resolver`."""

from reflow.public.distribute.cluster_resolver import *
