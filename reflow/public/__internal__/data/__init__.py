# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.data`."""

from reflow.data.experimental_names import compute_batch_size as compute_batch_size

__all__ = [
    "compute_batch_size",
]
