# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__operators__`."""

from reflow.api.array.indexing import getitem as getitem
from reflow.api.operators import _equal as eq
from reflow.api.operators import _not_equal as ne
from reflow.api.operators import add as add
from reflow.api.ragged.index import _getitem as ragged_getitem

__all__ = [
    "add", "eq", "getitem", "ne", "ragged_getitem",
]
