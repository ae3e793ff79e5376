"""The arrays of slices."""

from reflow.drop_in.python.framework.indexed_slices import IndexedSlicesValue


def test_fields():
    assert IndexedSlicesValue([1.0], [0], None)._fields == ("values", "indices", "dense_shape")
