# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.estimator.inputs`: the names of `tf.estimator.inputs`."""

from reflow.public.estimator.inputs import *
