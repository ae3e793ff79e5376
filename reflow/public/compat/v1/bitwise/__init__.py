# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.bitwise`: the names of `tf.bitwise`."""

from reflow.public.bitwise import *
