# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.types`: types for annotations."""

from reflow.public.types import experimental as experimental
