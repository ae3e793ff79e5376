"""`tf.compat.v1.fixed_size_partitioner` and related functions: into how many parts `get_variable` splits a variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.export import export
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.distribute.partitioners import FixedShardsPartitioner, MaxSizePartitioner, MinSizePartitioner

Partitioner = Callable[..., list[int]]


def _along(axis: int, partitioner: Any) -> Partitioner:
    def partition(shape: Any, dtype: Any) -> list[int]:
        whole = TensorShape(shape)
        if not whole.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {whole}")
        if axis >= len(whole):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {whole}")
        return partitioner(whole, dtype, axis)

    return partition


@export("compat.v1.fixed_size_partitioner")
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner that cuts an axis into `num_shards` parts, or as many as it is long.

    >>> tf.compat.v1.fixed_size_partitioner(2)(tf.TensorShape([6, 3]), tf.float32)
    [2, 1]
    """
    return _along(axis, FixedShardsPartitioner(num_shards))


@export("compat.v1.min_max_variable_partitioner")
def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Partitioner:
    """A partitioner that cuts an axis into at most `max_partitions` parts of at least `min_slice_size` bytes each.

    >>> tf.compat.v1.min_max_variable_partitioner(4, min_slice_size=16)(tf.TensorShape([6, 2]), tf.float32)
    [3, 1]
    """
    return _along(axis, MinSizePartitioner(min_slice_size, max_partitions, bytes_per_string_element))


@export("compat.v1.variable_axis_size_partitioner")
def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Partitioner:
    """A partitioner that keeps each part within `max_shard_bytes`, with at most `max_shards` parts.

    >>> tf.compat.v1.variable_axis_size_partitioner(16)(tf.TensorShape([6, 2]), tf.float32)
    [3, 1]
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is "
            f"{max_shard_bytes} and bytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")
    return _along(axis, MaxSizePartitioner(max_shard_bytes, max_shards or None, bytes_per_string_element))


@export("compat.v1.create_partitioned_variables")
def create_partitioned_variables(
    shape: Any, slicing: list[int], initializer: Any, dtype: Any = dtypes.float32, trainable: bool = True,
    collections: Any = None, name: str | None = None, reuse: Any = None,
) -> list:
    """The parts of a new variable of a shape, cut as `slicing` says.

    >>> with tf.Graph().as_default():
    ...     [v.name for v in tf.compat.v1.create_partitioned_variables([4], [2], tf.compat.v1.ones_initializer())]
    ['PartitionedVariable/part_0:0', 'PartitionedVariable/part_1:0']
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")

    def partitioner(**_: Any) -> list[int]:
        return list(slicing)

    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        parts = get_variable(
            None, shape, dtype, initializer, trainable=trainable, collections=collections, partitioner=partitioner
        )
        return list(parts)
