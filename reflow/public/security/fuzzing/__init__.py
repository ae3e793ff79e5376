# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.security.fuzzing`."""

from reflow.public.security.fuzzing import py as py
