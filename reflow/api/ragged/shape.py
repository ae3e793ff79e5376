"""`tf.shape` of a ragged tensor: lengths that are numbers for uniform axes and vectors, one number a row, for ragged
ones."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.math import arithmetic
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import TensorShape


class DynamicRaggedShape:
    """The shape of a ragged tensor, as tensors.

    >>> shape = tf.shape(tf.ragged.constant([[1], [2, 3]]))
    >>> shape[0].numpy().item(), shape.rank, shape.static_lengths()
    (2, 2, [2, (1, 2)])
    """

    def __init__(self, ragged: RaggedTensor, dtype):
        self._ragged, self.dtype = ragged, dtype

    rank = property(lambda self: self._ragged.shape.rank)
    num_row_partitions = property(lambda self: self._ragged.ragged_rank)

    @property
    def inner_shape(self):
        """The shape of the innermost values."""
        return arrange.shape(self._ragged.flat_values, out_type=self.dtype)

    @property
    def static_inner_shape(self) -> TensorShape:
        return self._ragged.flat_values.shape

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows of an axis have the same length by construction."""
        if not 0 <= axis < self.rank:
            raise IndexError(f"Index {axis} is out of range for a ragged shape of rank {self.rank}.")
        return axis == 0 or axis > self.num_row_partitions or self._ragged._uniform_lengths()[axis - 1] is not None

    def __getitem__(self, index):
        if not isinstance(index, int):
            raise NotImplementedError(
                f"The shape of a ragged tensor takes one axis at a time, as yet. Received: {index!r}"
            )
        axis = index + self.rank if index < 0 else index
        if not self.is_uniform(axis):
            raise ValueError(f"Index {index} is not uniform")
        if axis == 0:
            return self._ragged.nrows(out_type=self.dtype)
        if axis <= self.num_row_partitions:
            return arithmetic.cast(self._ragged._uniform_lengths()[axis - 1], self.dtype)
        return self.inner_shape[axis - self.num_row_partitions]

    def static_lengths(self, ragged_lengths: bool = True) -> list:
        """The lengths that are known: a number, None, or a tuple with one number a row (None if `ragged_lengths` is
        False)."""
        out: list = list(self._ragged.shape)
        for axis in range(1, self.num_row_partitions + 1):
            if not self.is_uniform(axis):
                lengths = arrange.get_static_value(self._ragged.nested_row_lengths()[axis - 1])
                out[axis] = tuple(lengths.tolist()) if ragged_lengths and lengths is not None else None
        return out

    def __repr__(self):
        return f"<DynamicRaggedShape lengths={self.static_lengths()} num_row_partitions={self.num_row_partitions}>"


def expand_ragged_dims(ragged, axis):
    """A ragged tensor with an axis of size 1 inserted.

    >>> tf.expand_dims(tf.ragged.constant([[1, 2], [3]]), 0).shape
    TensorShape([1, None, None])
    """
    at = axis if axis >= 0 else axis + ragged.shape.rank + 1
    if at == 0:
        return RaggedTensor.from_row_lengths(ragged, arrange.reshape(ragged.nrows(), [1]), validate=False)
    if at == 1:
        return RaggedTensor.from_uniform_row_length(ragged, 1)
    return ragged.with_values(arrange.expand_dims(ragged.values, at - 1))
