"""`tf.train.Example`s as tensors: `ParseExampleV2` and its older forms.

A *feature* is the list of values under one key of an example. It becomes a dense array (padded, if its length varies),
a sparse tensor, or a ragged one. The functions here work on `rows`, one mapping from keys to features per example;
`sequences.py` uses them for the contexts of `tf.train.SequenceExample`s.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.shapes import dims_of
from reflow.io import examples
from reflow.io.kernels.parsing_errors import no_multiple, wrong_count, wrong_type
from reflow.ops import require
from reflow.ops.from_python import short_name
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.shape_facts import text as text_of

LISTS = {dtypes.float32: "float_list", dtypes.int64: "int64_list", dtypes.string: "bytes_list"}
_NAMES = {"float_list": "float", "int64_list": "int64", "bytes_list": "string"}


def _example_shapes(f):
    batch = f.shapes[0]
    scalar = batch == ()
    _check_shapes(f.attrs["dense_shapes"])
    sparse = [dims_of(s) for s in f.attrs["dense_shapes"]]
    count, ragged = len(f.attrs["sparse_types"]), len(f.attrs.get("ragged_value_types", ()))
    width = None if batch is None else 1 if scalar else 2
    return (
        [(None, width)] * count
        + [(None,)] * count
        + [(width,)] * count
        + [None if batch is None or s is None else (*batch, *s) for s in sparse]
        + [(None,)] * ragged
        + [(0,) if scalar else (None,)] * ragged
    )


@op("ParseExampleV2", fits="1- 1-", shape=_example_shapes, grad=NO_GRADIENT, host=True, joins_rows=True)
def parse_example(
    _, serialized, names, sparse_keys, dense_keys, ragged_keys, dense_defaults, sparse_types, ragged_value_types,
    ragged_split_types, dense_shapes, num_sparse=None,
):
    if serialized.ndim > 1:
        raise ValueError(f"Expected serialized to be a scalar or vector, got shape: {text_of(serialized.shape)}")
    _check_defaults(dense_defaults, dense_shapes)
    if num_sparse not in (None, len(sparse_types)):
        raise ValueError(f"len(sparse_keys) != len(sparse_types): {num_sparse} vs. {len(sparse_types)}")
    rows = parsed(serialized, names)
    sparse = [
        (key.decode(), kind)
        for key, kind in require.paired(sparse_keys=sparse_keys.reshape(-1), sparse_types=sparse_types)
    ]
    listed = require.paired(dense_keys=dense_keys.reshape(-1), dense_defaults=dense_defaults, dense_shapes=dense_shapes)
    dense = [(key.decode(), default, dims) for key, default, dims in listed]
    listed = require.paired(ragged_keys=ragged_keys.reshape(-1), values=ragged_value_types, splits=ragged_split_types)
    ragged = [(key.decode(), *kinds) for key, *kinds in listed]
    return features(rows, sparse, dense, ragged, serialized.ndim == 0)


class Rows(list):
    """The features of each example, by key, with the examples' names for messages.

    `alone` if there is one only, which needs none.
    """

    def __init__(self, features: Iterable = (), names: np.ndarray | None = None, alone: bool = False):
        super().__init__(features)
        self._names = [] if names is None else [name.decode() for name in names.reshape(-1)]
        self.alone = alone

    def where(self, i: int, key: str) -> str:
        """How a message names a feature of an example."""
        return f"Key: {key}." if self.alone else f"{self.name(i)}Key: {key}, Index: {i}."

    def name(self, i: int) -> str:
        if self.alone:
            return ""
        return f"Name: {self._names[i] if i < len(self._names) else '<unknown>'}, "


def parsed(serialized, names=None) -> Rows:
    """The features of each example, by key."""
    if names is not None and names.size and names.shape != serialized.shape:
        shapes = f"name.shape={text_of(names.shape)}, serialized.shape={text_of(serialized.shape)}"
        raise ValueError(f"Expected names have the same shape as serialized: {shapes}")
    rows = Rows((), names, serialized.ndim == 0)
    for text in serialized.reshape(-1):
        try:
            rows.append(examples.Example.FromString(text).features.feature)
        except Exception as error:  # protobuf's DecodeError has no public home that is stable
            shown = text.decode(errors="replace")
            raise errors.InvalidArgumentError(None, None, f"Could not parse example input, value: '{shown}'") from error
    return rows


def features(rows: Rows, sparse: list, dense: list, ragged: list, scalar: bool) -> tuple:
    """The outputs of the parsing ops: parts of sparse features, dense features, parts of ragged ones.

    `sparse` lists (key, dtype), `dense` (key, default, shape), `ragged` (key, dtype, dtype of the splits).
    """
    found = [sparse_feature(rows, key, kind, scalar) for key, kind in sparse]
    arrays = [dense_feature(rows, key, default, dims_of(dims), _kind(default)) for key, default, dims in dense]
    pieces = [ragged_feature(rows, key, kind, splits, scalar) for key, kind, splits in ragged]
    return (
        *(part[i] for i in range(3) for part in found),
        *(a[0, ...] if scalar else a for a in arrays),
        *(part[i] for i in range(2) for part in pieces),
    )


def _kind(default: np.ndarray):
    return dtypes.string if default.dtype == object else dtypes.as_dtype(default.dtype)


def _check_shapes(dense_shapes) -> None:
    """Only the first size of a feature may be unknown."""
    for i, dims in enumerate(map(dims_of, dense_shapes)):
        if dims is None or None in dims[1:]:
            raise ValueError(f"dense_shapes[{i}] has unknown rank or unknown inner dimensions: {text_of(dims)}")


def _check_defaults(dense_defaults, dense_shapes) -> None:
    """A default value has the shape that its feature is said to have."""
    _check_shapes(dense_shapes)
    for i, (default, dims) in enumerate(zip(dense_defaults, dense_shapes)):
        if default.size and dims is not None and None not in dims and default.shape != tuple(dims):
            shapes = f"{text_of(default.shape)} is not compatible with dense_shapes_[{i}] == {text_of(tuple(dims))}"
            raise ValueError(f"def_value[{i}].shape() == {shapes}")


@op("ParseExample", fits="1 1", shape=_example_shapes, grad=NO_GRADIENT, host=True, joins_rows=True)
def parse_example_v1(_, serialized, names, sparse_keys, dense_keys, dense_defaults, sparse_types, dense_shapes):
    require.vector("serialized", serialized)
    _check_defaults(dense_defaults, dense_shapes)
    sparse = [
        (key[()].decode(), kind) for key, kind in require.paired(sparse_keys=sparse_keys, sparse_types=sparse_types)
    ]
    listed = require.paired(dense_keys=dense_keys, dense_defaults=dense_defaults, dense_shapes=dense_shapes)
    dense = [(key[()].decode(), *rest) for key, *rest in listed]
    return features(parsed(serialized, names), sparse, dense, [], False)


@op("ParseSingleExample", fits="0", shape=_example_shapes, grad=NO_GRADIENT, host=True)
def parse_single_example(
    _, serialized, dense_defaults, sparse_keys, dense_keys, sparse_types, dense_shapes, num_sparse=None
):
    if num_sparse not in (None, len(sparse_keys)):
        sizes = f"sparse_keys ({len(sparse_keys)}) and sparse_types ({len(sparse_types)})"
        raise ValueError(f"num_sparse ({num_sparse}) must match the size of {sizes}")
    _check_defaults(dense_defaults, dense_shapes)
    dense = require.paired(dense_keys=dense_keys, dense_defaults=dense_defaults, dense_shapes=dense_shapes)
    sparse = require.paired(sparse_keys=sparse_keys, sparse_types=sparse_types)
    if serialized.ndim:
        raise ValueError(f"Expected serialized to be a scalar, got shape: {text_of(serialized.shape)}")
    return features(parsed(serialized), sparse, dense, [], True)


def values(rows: Rows, key: str, kind, i: int, dense: bool = True):
    """The list of a feature of an example, or None where the example lacks it."""
    feature = rows[i].get(key)
    found = None if feature is None else feature.WhichOneof("kind")
    if found is None:
        return None
    if found != LISTS[kind]:
        raise wrong_type(rows.where(i, key), _NAMES[found], kind, dense)
    return getattr(feature, found).value


def array(items, kind) -> np.ndarray:
    return np.fromiter(items, kind.np_dtype, len(items))


def dense_feature(rows, key, default, dims, kind):
    """One array for all examples; the first axis of `dims` may be unknown, then rows are padded."""
    if dims and dims[0] is None:
        return padded_feature(rows, key, default, dims, kind)
    count, parts = math.prod(dims), []
    for i in range(len(rows)):
        found = values(rows, key, kind, i)
        if found is None:
            if not default.size and count:
                raise errors.InvalidArgumentError(
                    None, None,
                    f"{rows.name(i)}Feature: {key} (data type: {short_name(kind)}) is required but could not be found.",
                )
            parts.append(np.broadcast_to(default, dims).reshape(-1).tolist())
            continue
        if len(found) != count:
            raise wrong_count(rows.where(i, key), kind, len(found), dims, rows.alone)
        parts.append(found)
    flat = itertools.chain.from_iterable(parts)
    return np.fromiter(flat, kind.np_dtype, len(parts) * count).reshape(len(parts), *dims)


def padded_feature(rows, key, default, dims, kind):
    inner, found = math.prod(dims[1:]), []
    for i in range(len(rows)):
        items = values(rows, key, kind, i) or () if inner else ()
        if inner and len(items) % inner:
            raise no_multiple(rows.where(i, key), key, kind, len(items), dims, rows.alone)
        found.append(array(items, kind).reshape(-1 if inner else 0, *dims[1:]))
    longest = max((len(f) for f in found), default=0)
    fill = default.reshape(-1)[0] if default.size else (b"" if kind is dtypes.string else 0)
    out = np.full((len(rows), longest, *dims[1:]), fill, kind.np_dtype if kind is not dtypes.string else object)
    for i, part in enumerate(found):
        out[i, : len(part)] = part
    return out


def _lists(rows: Rows, key: str, kind) -> list[np.ndarray]:
    """The values of a feature of each example, of any length."""
    return [array(values(rows, key, kind, i, dense=False) or (), kind) for i in range(len(rows))]


def sparse_feature(rows, key, kind, scalar):
    """(indices, values, shape) of a feature of any length."""
    found = _lists(rows, key, kind)
    longest = max((len(f) for f in found), default=0)
    if scalar:
        return np.arange(longest, dtype=np.int64).reshape(-1, 1), found[0], np.array([longest], np.int64)
    lengths = [len(f) for f in found]
    indices = np.empty((sum(lengths), 2), np.int64)  # every element is written: both columns
    indices[:, 0] = np.repeat(np.arange(len(found)), lengths)
    indices[:, 1] = np.concatenate([np.arange(n) for n in lengths]) if lengths else []
    joined = np.concatenate(found) if found else array((), kind)
    return indices, joined, np.array([len(rows), longest], np.int64)


def ragged_feature(rows, key, kind, splits, scalar):
    found = _lists(rows, key, kind)
    lengths = [0, *np.cumsum([len(f) for f in found])]
    return (np.concatenate(found) if found else array((), kind)), np.array([] if scalar else lengths, splits.np_dtype)
