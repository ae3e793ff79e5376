# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.sets`."""

from reflow.api.sets import difference as difference
from reflow.api.sets import intersection as intersection
from reflow.api.sets import size as size
from reflow.api.sets import union as union

set_difference = difference
set_intersection = intersection
set_size = size
set_union = union
