# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.manip`."""

from reflow.api.array.arrange import reshape as reshape
from reflow.api.array.arrange import reverse as reverse
from reflow.api.array.arrange import roll as roll
from reflow.api.array.arrange import tile as tile
from reflow.api.array.blocks import batch_to_space as batch_to_space_nd
from reflow.api.array.blocks import space_to_batch_nd as space_to_batch_nd
from reflow.api.array.indexing import scatter_nd as scatter_nd
from reflow.compat.reordered import gather_nd as gather_nd

__all__ = [
    "batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile",
]
