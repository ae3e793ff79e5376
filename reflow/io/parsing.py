"""`tf.io.parse_example`: from serialized `tf.train.Example`s to tensors.

A *feature configuration* says how the values of one key become a tensor: of fixed shape, sparse, or ragged.
"""

from __future__ import annotations

import collections

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import TensorShape, dims_of
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import constant, convert_to_tensor


@export("io.FixedLenFeature")
class FixedLenFeature(collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """Values of one shape in every example; an example without them takes `default_value`, or is an error."""

    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, dtype, default_value)


@export("io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(
    collections.namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])
):
    """Any number of values of one shape; shorter examples are padded with `default_value`."""

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


@export("io.VarLenFeature")
class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
    """Any number of values, as a `tf.SparseTensor`."""


@export("io.RaggedFeature")
class RaggedFeature(
    collections.namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])
):
    """Any number of values, as a `tf.RaggedTensor`."""

    def __new__(cls, dtype, value_key=None, partitions=(), row_splits_dtype=dtypes.int32, validate=False):
        if partitions:
            raise NotImplementedError(
                f"RaggedFeature with partitions is not there yet. Received: partitions={partitions!r}"
            )
        return super().__new__(cls, dtype, value_key, tuple(partitions), dtypes.as_dtype(row_splits_dtype), validate)


def _dense_default(key, feature):
    """(default value as a tensor, shape) of a fixed feature; an empty default means that there is none."""
    dtype = dtypes.as_dtype(feature.dtype)
    dims = dims_of(TensorShape(feature.shape)) or ()
    if isinstance(feature, FixedLenSequenceFeature):
        if not feature.allow_missing:
            raise ValueError(f"Unsupported: FixedLenSequenceFeature requires allow_missing to be True. Feature: {key}.")
        empty = b"" if dtype is dtypes.string else 0
        return convert_to_tensor(empty if feature.default_value is None else feature.default_value, dtype), (
            None,
            *dims,
        )
    if dims is None or None in dims:
        raise ValueError(f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature.")
    if feature.default_value is None:
        return constant(np.zeros((0,), dtype.np_dtype) if dtype is not dtypes.string else [], dtype), dims
    default = convert_to_tensor(feature.default_value, dtype)
    return call("Reshape", (default, constant(list(dims), dtypes.int32))), dims


def _strings(keys):
    return constant(list(keys), dtypes.string, shape=[len(keys)])


@export("io.parse_example")
def parse_example(serialized, features, example_names=None, name=None):
    """A dict of tensors from a vector of serialized `tf.train.Example`s.

    >>> e = tf.train.Example()
    >>> e.features.feature["a"].int64_list.value.append(3)
    >>> parse_example([e.SerializeToString()], {"a": FixedLenFeature([], dtypes.int64)})["a"].numpy().tolist()
    [3]
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    kinds = (FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, RaggedFeature)
    for key, feature in features.items():
        if not isinstance(feature, kinds):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for feature {key!r}.")
    keys = sorted(features)
    sparse = [k for k in keys if isinstance(features[k], VarLenFeature)]
    dense = [k for k in keys if isinstance(features[k], (FixedLenFeature, FixedLenSequenceFeature))]
    ragged = [k for k in keys if isinstance(features[k], RaggedFeature)]
    defaults = [_dense_default(k, features[k]) for k in dense]
    attrs = {
        "num_sparse": len(sparse),
        "sparse_types": [dtypes.as_dtype(features[k].dtype) for k in sparse],
        "ragged_value_types": [dtypes.as_dtype(features[k].dtype) for k in ragged],
        "ragged_split_types": [features[k].row_splits_dtype for k in ragged],
        "Tdense": [dtypes.as_dtype(features[k].dtype) for k in dense],
        "dense_shapes": [dims for _, dims in defaults],
    }
    serialized = convert_to_tensor(serialized, dtypes.string)
    names = _strings([]) if example_names is None else convert_to_tensor(example_names, dtypes.string)
    inputs = (
        serialized,
        names,
        _strings(sparse),
        _strings(dense),
        _strings([features[k].value_key or k for k in ragged]),
        *(default for default, _ in defaults),
    )
    return _assembled(call("ParseExampleV2", inputs, attrs, name), sparse, dense, ragged, serialized.shape.rank == 0)


def _assembled(flat, sparse, dense, ragged, scalar) -> dict:
    """The op's outputs as a dict, by kind in TensorFlow's order."""
    flat = list(flat)
    n, at = len(sparse), 3 * len(sparse)
    out = {k: SparseTensor(flat[i], flat[n + i], flat[2 * n + i]) for i, k in enumerate(sparse)}
    out |= {k: flat[at + i] for i, k in enumerate(dense)}
    at += len(dense)
    for i, k in enumerate(ragged):
        values, splits = flat[at + i], flat[at + len(ragged) + i]
        out[k] = values if scalar else RaggedTensor.from_row_splits(values, splits, validate=False)
    return out


@export("io.parse_single_example")
def parse_single_example(serialized, features, example_names=None, name=None):
    """A dict of tensors from one serialized `tf.train.Example`."""
    serialized = convert_to_tensor(serialized, dtypes.string)
    if serialized.shape.rank not in (0, None):
        raise ValueError(f"Input serialized must be a scalar. Received: shape={serialized.shape}")
    return parse_example(serialized, features, example_names, name)
