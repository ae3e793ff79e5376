# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.test`: the names of `tf.test`."""

from reflow.public.test import *
from reflow.public.test import __all__ as __all__
