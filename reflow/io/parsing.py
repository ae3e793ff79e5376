"""`tf.io.parse_example`: from serialized `tf.train.Example`s to tensors.

How each feature becomes one: `feature_kinds.py`.
"""

from __future__ import annotations

from reflow.api.call import checked_call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.name_scope import name_scope
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.io.feature_kinds import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    Wanted,
    dense_default,
)
from reflow.ops.convert import constant, convert_to_tensor

_KINDS = (FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, RaggedFeature, SparseFeature)


def strings(keys):
    return constant(list(keys), dtypes.string, shape=[len(keys)])


@export("io.parse_example")
def parse_example(serialized, features, example_names=None, name=None):
    """Parses a vector of serialized `tf.train.Example`s into a dictionary of tensors.

    Args:
      serialized: A vector of strings, or a scalar for one example.
      features: For each key how its values become a tensor: a `tf.io.FixedLenFeature`, `FixedLenSequenceFeature`,
        `VarLenFeature`, `RaggedFeature` or `SparseFeature`.
      example_names: Names of the examples, for errors.
      name: A name for the operation.

    Returns:
      A dictionary from the keys of `features` to dense, sparse and ragged tensors.

    Raises:
      ValueError: `features` is empty, or has something that is no feature.
      InvalidArgumentError: An example lacks a feature that has no default, or has it in another dtype.

    >>> e = tf.train.Example()
    >>> e.features.feature["a"].int64_list.value.append(3)
    >>> tf.io.parse_example([e.SerializeToString()], {"a": tf.io.FixedLenFeature([], tf.int64)})["a"].numpy().tolist()
    [3]
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    with name_scope(name or "ParseExample"):
        return _parsed(serialized, features, example_names, name)


def _parsed(serialized, features, example_names, name) -> dict:
    wanted = Wanted(features, _KINDS)
    defaults = [dense_default(k, features[k]) for k in wanted.dense]
    attrs = wanted.attrs() | {
        "num_sparse": len(wanted.sparse),
        "Tdense": [dtypes.as_dtype(features[k].dtype) for k in wanted.dense],
        "dense_shapes": [dims for _, dims in defaults],
    }
    serialized = convert_to_tensor(serialized, dtypes.string)
    names = strings([]) if example_names is None else convert_to_tensor(example_names, dtypes.string)
    inputs = (
        serialized,
        names,
        strings(wanted.sparse),
        strings(wanted.dense),
        strings(wanted.ragged),
        *(default for default, _ in defaults),
    )
    return assembled(iter(checked_call("ParseExampleV2", inputs, attrs, name)), wanted, serialized.shape.rank == 0)


def take(flat, count: int) -> list:
    """The next tensors of an op's outputs."""
    return [next(flat) for _ in range(count)]


def assembled(flat, wanted: Wanted, scalar: bool) -> dict:
    """The next outputs of a parsing op as a dict."""
    parts = [take(flat, len(wanted.sparse)) for _ in range(3)]
    sparse = {k: SparseTensor(*p) for k, *p in zip(wanted.sparse, *parts)}
    dense = dict(zip(wanted.dense, take(flat, len(wanted.dense))))
    values, splits = take(flat, len(wanted.ragged)), take(flat, len(wanted.ragged))
    ragged = {
        k: v if scalar else RaggedTensor.from_row_splits(v, s, validate=False)
        for k, v, s in zip(wanted.ragged, values, splits)
    }
    return wanted.assembled(sparse, dense, ragged)


@export("io.parse_single_example")
def parse_single_example(serialized, features, example_names=None, name=None):
    """Parses one serialized `tf.train.Example` into a dictionary of tensors.

    Args:
      serialized: A string scalar.
      features: For each key how its values become a tensor, as in `tf.io.parse_example`.
      example_names: A name of the example, for errors.
      name: A name for the operation.

    Returns:
      A dictionary from the keys of `features` to tensors, without an axis for examples.

    Raises:
      ValueError: `features` is empty, or `serialized` is not a scalar.

    >>> e = tf.train.Example()
    >>> e.features.feature["a"].int64_list.value.append(3)
    >>> tf.io.parse_single_example(
    ...     e.SerializeToString(), {"a": tf.io.FixedLenFeature([], tf.int64)}
    ... )["a"].numpy().item()
    3
    """
    if not features:
        raise ValueError(f"Invalid argument: features cannot be {'None' if features is None else 'empty'}.")
    serialized = convert_to_tensor(serialized, dtypes.string)
    if serialized.shape.rank not in (0, None):
        raise ValueError("Input serialized must be a scalar")
    with name_scope(name or "ParseSingleExample"):
        return parse_example(serialized, features, example_names, name)
