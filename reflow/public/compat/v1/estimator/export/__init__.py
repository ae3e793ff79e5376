# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.estimator.export`: the names of `tf.estimator.export`."""

from reflow.public.estimator.export import *
