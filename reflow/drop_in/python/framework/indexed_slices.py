"""`tensorflow.python.framework.indexed_slices`: the arrays of slices that a session returned."""

from reflow.core.indexed_slices import IndexedSlicesValue

__all__ = ["IndexedSlicesValue"]
