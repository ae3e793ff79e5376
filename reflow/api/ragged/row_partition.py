"""`tf.experimental.RowPartition`: how a sequence of values is cut into rows, without the values.

It is kept as the rows of a ragged tensor whose values are 0, 1, 2, …: every encoding then comes from `RaggedTensor`.
"""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import convert_to_tensor


def _partition(value, dtype, dtype_hint):
    """Splits, lengths or ids as an int32 or int64 tensor."""
    if dtype is None and isinstance(value, Tensor):
        return value
    dtype = dtypes.as_dtype(dtype or getattr(value, "dtype", None) or dtype_hint or dtypes.int64)
    value = convert_to_tensor(value, dtype_hint=dtype)
    return value if value.dtype is dtype else arithmetic.cast(value, dtype)


@export("experimental.RowPartition")
class RowPartition:
    """The borders of rows in a sequence of values.

    >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    >>> rows.row_splits().numpy().tolist(), rows.value_rowids().numpy().tolist()
    ([0, 2, 2, 3], [0, 0, 2])
    """

    def __init__(
        self,
        row_splits,
        row_lengths=None,
        value_rowids=None,
        nrows=None,
        uniform_row_length=None,
        nvals=None,
        internal=False,
    ):
        if not internal:
            raise ValueError(
                "RowPartition constructor is private; please use one of the factory methods instead (e.g., "
                "RowPartition.from_row_lengths())"
            )
        if any(x is not None for x in (row_lengths, value_rowids, nrows, nvals)):
            raise ValueError(
                "A RowPartition is made of its row splits alone: row_lengths, value_rowids, nrows and nvals follow."
            )
        self._rows = RaggedTensor._of(creation.range(row_splits[-1]), row_splits, uniform_row_length)

    @classmethod
    def _of(cls, ragged) -> RowPartition:
        return cls(ragged.row_splits, uniform_row_length=ragged.uniform_row_length, internal=True)

    @classmethod
    def from_value_rowids(cls, value_rowids, nrows=None, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """From the row of each value, in ascending order."""
        ids = _partition(value_rowids, dtype, dtype_hint)
        if nrows is not None:
            nrows = arithmetic.cast(nrows, ids.dtype)
        return cls._of(RaggedTensor.from_value_rowids(ids, ids, nrows=nrows, validate=validate))

    @classmethod
    def from_row_splits(cls, row_splits, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """From the borders, the first of which is 0."""
        splits = _partition(row_splits, dtype, dtype_hint)
        return cls._of(RaggedTensor.from_row_splits(creation.range(splits[-1]), splits, validate=validate))

    @classmethod
    def from_row_lengths(cls, row_lengths, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """From the length of each row."""
        lengths = _partition(row_lengths, dtype, dtype_hint)
        values = creation.range(reduce.reduce_sum(lengths))
        return cls._of(RaggedTensor.from_row_lengths(values, lengths, validate=validate))

    @classmethod
    def from_row_starts(cls, row_starts, nvals, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """From the first position of each row, and the number of values."""
        starts = _partition(row_starts, dtype, dtype_hint)
        values = creation.range(arithmetic.cast(nvals, starts.dtype))
        return cls._of(RaggedTensor.from_row_starts(values, starts, validate=validate))

    @classmethod
    def from_row_limits(cls, row_limits, validate=True, dtype=None, dtype_hint=None) -> RowPartition:
        """From the position after each row."""
        limits = _partition(row_limits, dtype, dtype_hint)
        total = reduce.reduce_max(arrange.concat([creation.zeros_like(limits[:1]), limits[-1:]], 0))
        return cls._of(RaggedTensor.from_row_limits(creation.range(total), limits, validate=validate))

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length, nvals=None, nrows=None, validate=True, dtype=None, dtype_hint=None
    ) -> RowPartition:
        """From one length that all rows have, and how many values or rows there are."""
        length = _partition(uniform_row_length, dtype, dtype_hint)
        if nvals is None:
            if nrows is None:
                raise ValueError("At least one of `nvals` and `nrows` must be specified.")
            nvals = length * arithmetic.cast(nrows, length.dtype)
        values = creation.range(arithmetic.cast(nvals, length.dtype))
        return cls._of(RaggedTensor.from_uniform_row_length(values, length, nrows=nrows, validate=validate))

    def row_splits(self):
        return self._rows.row_splits

    def row_starts(self):
        return self._rows.row_starts()

    def row_limits(self):
        return self._rows.row_limits()

    def row_lengths(self):
        return self._rows.row_lengths()

    def value_rowids(self):
        return self._rows.value_rowids()

    def nrows(self):
        return self._rows.nrows()

    def nvals(self):
        return self.row_splits()[-1]

    def offsets_in_rows(self):
        """The position of each value in its row."""
        return self._rows.values - indexing.gather(self.row_starts(), self.value_rowids())

    def uniform_row_length(self):
        return self._rows.uniform_row_length

    def is_uniform(self) -> bool:
        return self._rows.uniform_row_length is not None

    def with_dtype(self, dtype) -> RowPartition:
        """The same rows, counted in int32 or int64."""
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `dtype` must be int32 or int64. Received {dtype}.")
        length = self.uniform_row_length()
        return RowPartition(
            arithmetic.cast(self.row_splits(), dtype),
            uniform_row_length=None if length is None else arithmetic.cast(length, dtype),
            internal=True,
        )

    dtype = property(lambda self: self.row_splits().dtype)
    static_nrows = property(lambda self: self._rows.shape[0])
    static_nvals = property(lambda self: _number(self.nvals()))
    static_uniform_row_length = property(lambda self: _number(self.uniform_row_length()))

    def __repr__(self):
        if self.is_uniform():
            return f"tf.RowPartition(nrows={self.static_nrows}, uniform_row_length={self.static_uniform_row_length})"
        splits = arrange.get_static_value(self.row_splits())
        return f"tf.RowPartition(row_splits={self.row_splits() if splits is None else splits})"


def _number(tensor):
    value = None if tensor is None else arrange.get_static_value(tensor)
    return None if value is None else int(value)
