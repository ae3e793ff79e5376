"""The spec of a row partition: numbers of rows and values, the common length, the index type, as far as known."""

from __future__ import annotations

from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec, TypeSpec


class RowPartitionSpec(TypeSpec):
    """The spec of a `tf.experimental.RowPartition`. What follows from the other numbers is filled in.

    >>> tf.experimental.RowPartition.from_uniform_row_length(3, nrows=2)._type_spec
    RowPartitionSpec(nrows=2, nvals=6, uniform_row_length=3, dtype=tf.int64)
    """

    __slots__ = ("_nrows", "_nvals", "_uniform_row_length", "_dtype")

    def __init__(self, nrows=None, nvals=None, uniform_row_length=None, dtype=dtypes.int64):
        nrows, nvals, length = (TensorShape([n])[0] for n in (nrows, nvals, uniform_row_length))
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        if length is not None:
            if nvals is not None and length and nvals % length:
                raise ValueError(
                    f"nvals={nvals} is not compatible with uniform_row_length={length} (doesn't divide evenly)"
                )
            if length == 0:
                if nvals:
                    raise ValueError(f"nvals={nvals} is not compatible with uniform_row_length=0")
                nvals = 0
            if length and nvals is not None and nrows is None:
                nrows = nvals // length
            if nrows is not None:
                if nvals is not None and nvals != nrows * length:
                    raise ValueError(
                        f"nvals={nvals} is not compatible with nrows={nrows} and uniform_row_length={length}"
                    )
                nvals = nrows * length
        if nrows == 0:
            if nvals:
                raise ValueError(f"nvals={nvals} is not compatible with nrows=0")
            nvals = 0
        self._nrows, self._nvals, self._uniform_row_length = nrows, nvals, length
        self._dtype = dtypes.as_dtype(dtype)

    nrows = property(lambda self: self._nrows)
    nvals = property(lambda self: self._nvals)
    uniform_row_length = property(lambda self: self._uniform_row_length)
    dtype = property(lambda self: self._dtype)

    @property
    def value_type(self):
        from reflow.api.ragged.row_partition import RowPartition  # its methods give specs

        return RowPartition

    def _serialize(self):
        return (
            TensorShape([self._nrows]), TensorShape([self._nvals]), TensorShape([self._uniform_row_length]), self._dtype
        )

    @classmethod
    def _deserialize(cls, parts):
        nrows, nvals, length, dtype = parts
        return cls(nrows[0], nvals[0], length[0], dtype)

    @property
    def _component_specs(self):
        return TensorSpec([None if self._nrows is None else self._nrows + 1], self._dtype)

    def _to_components(self, value):
        return value.row_splits()

    def _from_components(self, components):
        return self.value_type.from_row_splits(components, validate=False)

    @classmethod
    def from_value(cls, value):
        """The spec of a partition: what it knows without computing anything."""
        return cls(value.static_nrows, value.static_nvals, value.static_uniform_row_length, value.dtype)

    def with_dtype(self, dtype) -> RowPartitionSpec:
        """The same numbers, counted in int32 or int64."""
        return RowPartitionSpec(self._nrows, self._nvals, self._uniform_row_length, dtype)

    def _merge_with(self, other: RowPartitionSpec) -> RowPartitionSpec:
        merged = [
            TensorShape([a]).merge_with([b])[0]
            for a, b in (
                (self._nrows, other._nrows),
                (self._nvals, other._nvals),
                (self._uniform_row_length, other._uniform_row_length),
            )
        ]
        return RowPartitionSpec(merged[0], merged[1], merged[2], self._dtype)

    def __repr__(self):
        return (
            f"RowPartitionSpec(nrows={self._nrows}, nvals={self._nvals}, "
            f"uniform_row_length={self._uniform_row_length}, dtype={self._dtype!r})"
        )
