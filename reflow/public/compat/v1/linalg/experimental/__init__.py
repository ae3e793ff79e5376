# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.linalg.experimental`."""

from reflow.api.linalg.conjugate_gradient import conjugate_gradient as conjugate_gradient

__all__ = [
    "conjugate_gradient",
]
