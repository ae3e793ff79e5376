# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.sets`."""

from reflow.api.sets import difference as difference
from reflow.api.sets import difference as set_difference
from reflow.api.sets import intersection as intersection
from reflow.api.sets import intersection as set_intersection
from reflow.api.sets import size as set_size
from reflow.api.sets import size as size
from reflow.api.sets import union as set_union
from reflow.api.sets import union as union

__all__ = [
    "difference", "intersection", "set_difference", "set_intersection", "set_size", "set_union", "size", "union",
]
