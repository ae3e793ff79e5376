# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.lookup.experimental`."""

from reflow.lookup.public import DenseHashTable as DenseHashTable
from reflow.lookup.public import MutableHashTable as MutableHashTable
