# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.security`."""

from reflow.public.security import fuzzing as fuzzing
