# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.dtypes.experimental`: the names of `tf.dtypes.experimental`."""

from reflow.public.dtypes.experimental import *
