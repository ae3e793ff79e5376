"""How features of examples become tensors: `tf.io.FixedLenFeature` and related classes, and how they use the parsing
ops.

The ops know three kinds of features: dense, sparse and ragged. The others are built from these: a `SparseFeature` from
several sparse ones, a `RaggedFeature` with *partitions* from one that holds the values and from those that hold the row
boundaries. `Wanted` splits a dictionary of features into requests to an op, and assembles its results.
"""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from reflow.api.array import arrange
from reflow.api.array.indexing import gather
from reflow.api.call import call
from reflow.api.export import export
from reflow.api.math.arithmetic import cast
from reflow.api.math.reduce import cumsum, reduce_max, reduce_sum
from reflow.api.sparse.tensors import reorder
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import TensorShape, dims_of
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import constant, convert_to_tensor


@export("io.FixedLenFeature")
class FixedLenFeature(collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """Describes a feature that has values of one shape in every example.

    Args:
      shape: The shape of the values.
      dtype: The dtype of the values.
      default_value: What an example without the feature gets; by default that is an error.

    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "age": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}))
    >>> tf.io.parse_single_example(
    ...     example.SerializeToString(), {"age": tf.io.FixedLenFeature([], tf.int64)}
    ... )["age"].numpy().item()
    7
    """

    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, dtype, default_value)


@export("io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(
    collections.namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])
):
    """Describes a feature with any number of values of one shape; shorter examples are padded.

    Args:
      shape: The shape of one value.
      dtype: The dtype of the values.
      allow_missing: Whether an example may lack the feature; `tf.io.parse_example` requires True.
      default_value: What to pad with in `tf.io.parse_example`; by default zeros or empty strings.

    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "steps": tf.train.Feature(int64_list=tf.train.Int64List(value=[7, 8]))}))
    >>> features = {"steps": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
    >>> tf.io.parse_single_example(example.SerializeToString(), features)["steps"].numpy().tolist()
    [7, 8]
    """

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


@export("io.VarLenFeature")
class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
    """Describes a feature with any number of values, to be parsed as a `tf.SparseTensor`.

    Args:
      dtype: The dtype of the values.

    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"]))}))
    >>> tf.io.parse_single_example(
    ...     example.SerializeToString(), {"words": tf.io.VarLenFeature(tf.string)}
    ... )["words"].values.numpy().tolist()
    [b'a', b'b']
    """


@export("io.SparseFeature")
class SparseFeature(
    collections.namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])
):
    """Describes a `tf.SparseTensor` whose indices and values are under separate keys.

    Args:
      index_key: The key of the indices, or a list of keys, one for each axis.
      value_key: The key of the values.
      dtype: The dtype of the values.
      size: The size of the axis, or a list of sizes.
      already_sorted: Whether the indices are in order, so that they need not be sorted.

    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "at": tf.train.Feature(int64_list=tf.train.Int64List(value=[3])),
    ...     "what": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))}))
    >>> features = {"vector": tf.io.SparseFeature("at", "what", tf.float32, size=5)}
    >>> tf.sparse.to_dense(tf.io.parse_single_example(example.SerializeToString(), features)["vector"]).numpy().tolist()
    [0.0, 0.0, 0.0, 0.5, 0.0]
    """

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)

    @property
    def index_keys(self) -> list:
        return [self.index_key] if isinstance(self.index_key, str) else list(self.index_key)


class Partition:
    """Base of what a `RaggedFeature` says about its rows: under which key is written where they begin."""

    __slots__ = ()


def _partition(name: str, field: str = "key") -> Any:
    return type(name, (collections.namedtuple(name, [field]), Partition), {"__slots__": ()})


@export("io.RaggedFeature")
class RaggedFeature(
    collections.namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])
):
    """Any number of values, as a `tf.RaggedTensor`.

    Args:
      dtype: the dtype of the values.
      value_key: the key under which the values stand; that of the feature unless it is given.
      partitions: for each further axis, the outermost first, how the values are divided into rows:
        `RaggedFeature.RowSplits(key)`, `RowLengths`, `RowStarts`, `RowLimits`, `ValueRowIds` name the key of the
        integers that say it; `UniformRowLength(length)` needs none.
      row_splits_dtype: the dtype of the row splits.
      validate: whether the partitions are checked.

    >>> examples = [tf.train.Example(features=tf.train.Features(feature={
    ...     "n": tf.train.Feature(int64_list=tf.train.Int64List(value=value))})) for value in ([1, 2], [3])]
    >>> tf.io.parse_example(
    ...     [e.SerializeToString() for e in examples], {"n": tf.io.RaggedFeature(tf.int64)}
    ... )["n"].to_list()
    [[1, 2], [3]]
    """

    RowSplits, RowLengths, RowStarts = _partition("RowSplits"), _partition("RowLengths"), _partition("RowStarts")
    RowLimits, ValueRowIds = _partition("RowLimits"), _partition("ValueRowIds")
    UniformRowLength = _partition("UniformRowLength", "length")

    def __new__(cls, dtype, value_key=None, partitions=(), row_splits_dtype=dtypes.int32, validate=False):
        if isinstance(partitions, Partition) or not all(isinstance(p, Partition) for p in partitions):
            raise TypeError(
                "Argument `partitions` cannot be cast to any of the partition types. Received: "
                f"partitions={partitions!r}"
            )
        return super().__new__(cls, dtype, value_key, tuple(partitions), dtypes.as_dtype(row_splits_dtype), validate)


def dense_default(key, feature):
    """(default value as a tensor, shape) of a fixed feature; an empty default means that there is none."""
    _check_fixed(key, feature)
    dtype, dims = dtypes.as_dtype(feature.dtype), dims_of(TensorShape(feature.shape)) or ()
    if isinstance(feature, FixedLenSequenceFeature):
        if not feature.allow_missing:
            raise ValueError(f"Unsupported: FixedLenSequenceFeature requires allow_missing to be True. Feature: {key}.")
        padding = ("" if dtype is dtypes.string else 0) if feature.default_value is None else feature.default_value
        return call("Reshape", (convert_to_tensor(padding, dtype), constant([], dtypes.int32))), (None, *dims)
    if feature.default_value is None:
        return constant(np.zeros((0,), dtype.np_dtype) if dtype is not dtypes.string else [], dtype), dims
    default = convert_to_tensor(feature.default_value, dtype)
    return call("Reshape", (default, constant(list(dims), dtypes.int32))), dims


def _check_fixed(key, feature):
    """ValueError if a size is not known; that of a sequence's steps is a matter of the op."""
    dims = dims_of(TensorShape(feature.shape)) or ()
    if isinstance(feature, FixedLenSequenceFeature) or None not in dims:
        return
    if dims[0] is None:
        words = f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature."
        raise ValueError(f"{words} Received feature={feature}.")
    raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {feature.shape}.")


# --- requests to an op ----------------------------------------------------------------------------------------------


class Wanted:
    """A dictionary of features, divided by what the ops know.

    Keys of sparse, dense and ragged features, each with its dtype.
    """

    def __init__(self, features: dict, kinds: tuple):
        self.features = features or {}
        self.sparse: dict = {}
        self.dense: list = []
        self.ragged: dict = {}
        for key, feature in sorted(self.features.items()):
            if not isinstance(feature, kinds):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")
            self._add(key, feature)

    def _add(self, key, feature: Any):
        if isinstance(feature, VarLenFeature):
            (dtype,) = feature
            if not dtype:
                raise ValueError(f"Missing type for feature {key}. Received feature={feature}")
            self._ask(self.sparse, key, dtypes.as_dtype(dtype))
        elif isinstance(feature, SparseFeature):
            for index_key in feature.index_keys:
                self._ask(self.sparse, index_key, dtypes.int64)
            self._ask(self.sparse, feature.value_key, dtypes.as_dtype(feature.dtype))
        elif isinstance(feature, RaggedFeature):
            value_key = key if feature.value_key is None else feature.value_key
            self._ask(self.ragged, value_key, (dtypes.as_dtype(feature.dtype), feature.row_splits_dtype))
            for partition in feature.partitions:
                if not isinstance(partition, RaggedFeature.UniformRowLength):
                    self._ask(self.ragged, partition.key, (dtypes.int64, feature.row_splits_dtype))
        else:
            for part in ("shape", "dtype"):
                if getattr(feature, part, "") is None:
                    raise ValueError(
                        f"Missing {'type' if part == 'dtype' else part} for feature {key}. Received feature={feature}."
                    )
            self.dense.append(key)

    @staticmethod
    def _ask(found: dict, key, kind):
        if found.setdefault(key, kind) != kind:
            raise ValueError(f"Conflicting type {found[key]} vs {kind} for feature {key}.")

    def attrs(self, prefix: str = "") -> dict:
        """The attributes that list dtypes."""
        return {
            f"{prefix}sparse_types": list(self.sparse.values()),
            f"{prefix}ragged_value_types": [values for values, _ in self.ragged.values()],
            f"{prefix}ragged_split_types": [splits for _, splits in self.ragged.values()],
        }

    def assembled(self, sparse: dict, dense: dict, ragged: dict) -> dict:
        """The op's results for each key, converted to what the features request, by kind in TensorFlow's order."""
        out: dict = {k: t for k, t in sparse.items() if isinstance(self.features.get(k), VarLenFeature)} | dense
        for key, feature in sorted(self.features.items()):
            if isinstance(feature, SparseFeature):
                out[key] = _merged(feature, sparse)
            elif isinstance(feature, RaggedFeature):
                out[key] = _partitioned(key, feature, ragged)
        return out


def _merged(feature: SparseFeature, sparse: dict) -> SparseTensor:
    """One sparse tensor of several: some give the last axes of its indices, one gives its values."""
    ids = [sparse[key] for key in feature.index_keys]
    places = [ids[0].indices[:, :-1], *(arrange.expand_dims(i.values, -1) for i in ids)]
    sizes = [feature.size] if isinstance(feature.size, int) else list(feature.size)
    shape = arrange.concat([ids[0].dense_shape[:-1], constant(sizes, dtypes.int64)], 0)
    merged = SparseTensor(arrange.concat(places, 1), sparse[feature.value_key].values, shape)
    return merged if feature.already_sorted else reorder(merged)


# --- ragged features with partitions --------------------------------------------------------------------------------


def _partitioned(key: str, feature: RaggedFeature, ragged: dict):
    """The values of a feature, divided into rows: of one example (a vector), of a batch, or of a batch of sequences."""
    values = ragged[key if feature.value_key is None else feature.value_key]
    outer = values.ragged_rank - 1 if isinstance(values, RaggedTensor) else -1
    for partition in reversed(feature.partitions):
        bounds = ragged.get(getattr(partition, "key", None))
        values = _divided(values, partition, bounds, feature, outer)
    return values


def _divided(values, partition, bounds: Any, feature: RaggedFeature, outer: int):
    """Rows of the axis that lies below `outer` ragged ones and that of the examples; -1: there are no examples."""
    if outer < 0:
        return _rows_of_one(values, partition, bounds, feature)
    if not outer:
        return _rows_of_batch(values, partition, bounds, feature)
    below = None if bounds is None else bounds.values
    return values.with_values(_divided(values.values, partition, below, feature, outer - 1))


def _uniform(values, length: int, validate: bool):
    if isinstance(values, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(values, length, validate=validate)
    outer = constant([-1, length], dtypes.int32)
    return arrange.reshape(values, arrange.concat([outer, arrange.shape(values)[1:]], 0))


def _rows_of_one(values, partition, bounds, feature: RaggedFeature):
    """The rows of one example's values."""
    if isinstance(partition, RaggedFeature.UniformRowLength):
        return _uniform(values, partition.length, feature.validate)
    return _FROM[type(partition)](values, cast(bounds, feature.row_splits_dtype), validate=feature.validate)


def _rows_of_batch(values: RaggedTensor, partition, bounds, feature: RaggedFeature) -> RaggedTensor:
    """The rows of each example's values: their bounds are counted from the example's first value."""
    kind, validate = type(partition), feature.validate
    if kind is RaggedFeature.UniformRowLength:
        splits = values.row_splits // constant(partition.length, values.row_splits.dtype)
        return RaggedTensor.from_row_splits(
            _uniform(values.values, partition.length, validate), splits, validate=validate
        )
    bounds = bounds.with_values(cast(bounds.values, feature.row_splits_dtype))
    if kind is RaggedFeature.RowSplits:  # all but the first are the limits of rows
        bounds, kind = bounds[:, 1:], RaggedFeature.RowLimits
    if kind is RaggedFeature.RowLengths:
        rows = RaggedTensor.from_row_lengths(values.values, bounds.values, validate=validate)
    elif kind is RaggedFeature.ValueRowIds:
        counts = cast(reduce_max(bounds.to_tensor(default_value=-1), 1) + 1, feature.row_splits_dtype)
        ends = cumsum(counts)
        ids = bounds.values + gather(ends - counts, bounds.value_rowids())
        rows = RaggedTensor.from_value_rowids(values.values, ids, reduce_sum(counts), validate=validate)
        return RaggedTensor.from_row_lengths(rows, counts, validate=validate)
    else:
        placed = bounds.values + gather(values.row_starts(), bounds.value_rowids())
        rows = _FROM[kind](values.values, placed, validate=validate)
    return RaggedTensor.from_row_splits(rows, bounds.row_splits, validate=validate)


_FROM = {
    RaggedFeature.RowSplits: RaggedTensor.from_row_splits,
    RaggedFeature.RowLengths: RaggedTensor.from_row_lengths,
    RaggedFeature.RowStarts: RaggedTensor.from_row_starts,
    RaggedFeature.RowLimits: RaggedTensor.from_row_limits,
    RaggedFeature.ValueRowIds: RaggedTensor.from_value_rowids,
}
