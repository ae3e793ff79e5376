# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.saved_model.builder`."""

from reflow.compat.saved_model.builder import Builder as SavedModelBuilder

__all__ = [
    "SavedModelBuilder",
]
