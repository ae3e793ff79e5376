# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.experimental.numpy`."""

from reflow.api.experimental_numpy import finfo as finfo
from reflow.api.experimental_numpy import select as select

__all__ = [
    "finfo", "select",
]
