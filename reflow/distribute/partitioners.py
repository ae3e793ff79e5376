"""`tf.distribute.experimental.partitioners`: into how many shards `ParameterServerStrategy` splits a variable."""

from __future__ import annotations

import math

from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.shapes import TensorShape


@export("distribute.experimental.partitioners.Partitioner")
class Partitioner:
    """A function of a variable's shape and dtype: how many pieces there are along each axis; only one may be cut.

    >>> tf.distribute.experimental.partitioners.FixedShardsPartitioner(2)(tf.TensorShape([10, 3]), tf.float32)
    [2, 1]
    """

    def __call__(self, shape, dtype, axis=0):
        """Says how a variable is cut.

        Args:
          shape: The shape of the variable.
          dtype: Its dtype.
          axis: The axis that may be cut.

        Returns:
          A list with the number of pieces along each axis.
        """
        raise NotImplementedError


def _cut(shape, axis: int, pieces: int) -> list[int]:
    result = [1] * len(shape)
    result[axis] = pieces
    return result


@export("distribute.experimental.partitioners.FixedShardsPartitioner")
class FixedShardsPartitioner(Partitioner):
    """Splits variables into a fixed number of pieces, at most one for each row.

    Args:
      num_shards: The number of pieces.

    >>> tf.distribute.experimental.partitioners.FixedShardsPartitioner(4)(tf.TensorShape([3]), tf.float32)
    [3]
    """

    def __init__(self, num_shards):
        self._num_shards = num_shards

    def __call__(self, shape, dtype, axis=0):
        shape = TensorShape(shape)
        return _cut(shape, axis, min(self._num_shards, shape[axis]))


def _size(shape, dtype, bytes_per_string: int) -> int:
    dtype = dtypes.as_dtype(dtype)
    return (bytes_per_string if dtype is dtypes.string else dtype.size) * (shape.num_elements() or 0)


@export("distribute.experimental.partitioners.MinSizePartitioner")
class MinSizePartitioner(Partitioner):
    """Cuts variables into pieces that are not too small.

    Args:
      min_shard_bytes: How large a piece is at least.
      max_shards: How many pieces there are at most.
      bytes_per_string: What a string counts as.

    Raises:
      ValueError: A number is not positive.

    >>> tf.distribute.experimental.partitioners.MinSizePartitioner(2, max_shards=10)(tf.TensorShape([6, 1]), tf.float32)
    [6, 1]
    """

    def __init__(self, min_shard_bytes=256 << 10, max_shards=1, bytes_per_string=16):
        _positive(min_shard_bytes=min_shard_bytes, max_shards=max_shards, bytes_per_string=bytes_per_string)
        self._least, self._most, self._bytes_per_string = min_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape, dtype, axis=0):
        shape = TensorShape(shape)
        fitting = max(1, math.ceil(_size(shape, dtype, self._bytes_per_string) / self._least))
        return _cut(shape, axis, min(self._most, shape[axis], fitting))


@export("distribute.experimental.partitioners.MaxSizePartitioner")
class MaxSizePartitioner(Partitioner):
    """Cuts variables into pieces that are not too large.

    Args:
      max_shard_bytes: How large a piece is at most.
      max_shards: How many pieces there are at most, even if they are larger then; by default any number.
      bytes_per_string: What a string counts as.

    Raises:
      ValueError: A number is not positive.

    >>> tf.distribute.experimental.partitioners.MaxSizePartitioner(max_shard_bytes=4)(
    ...     tf.TensorShape([6, 1]), tf.float32
    ... )
    [6, 1]
    """

    def __init__(self, max_shard_bytes, max_shards=None, bytes_per_string=16):
        _positive(max_shard_bytes=max_shard_bytes, bytes_per_string=bytes_per_string)
        if max_shards is not None:
            _positive(max_shards=max_shards)
        self._most_bytes, self._most, self._bytes_per_string = max_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape, dtype, axis=0):
        shape = TensorShape(shape)
        row = _size(shape, dtype, self._bytes_per_string) // max(shape[axis], 1)
        rows = max(1, self._most_bytes // max(row, 1))
        pieces = max(1, math.ceil(shape[axis] / rows))
        return _cut(shape, axis, pieces if self._most is None else min(self._most, pieces))


def _positive(**values):
    for name, value in values.items():
        if value < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {value}")
