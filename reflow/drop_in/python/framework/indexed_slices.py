"""`tensorflow.python.framework.indexed_slices`: the arrays of slices that a session returned."""

import collections

IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
