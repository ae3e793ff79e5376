# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.estimator.experimental`: the names of `tf.estimator.experimental`."""

from reflow.public.estimator.experimental import *
