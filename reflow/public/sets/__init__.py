# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.sets`: sets in the last dimension."""

from reflow.api.sets import difference as difference
from reflow.api.sets import intersection as intersection
from reflow.api.sets import size as size
from reflow.api.sets import union as union
