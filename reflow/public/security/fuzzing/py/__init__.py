# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.security.fuzzing.py`."""

from reflow.public.security.fuzzing.py import annotation_types as annotation_types
