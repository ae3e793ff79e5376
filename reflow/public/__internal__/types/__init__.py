# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.types`."""

from reflow.core.tensor import TensorBase as Tensor

__all__ = [
    "Tensor",
]
