"""Files and what is in them: `ReadFile`, `DecodeRaw`, `ParseExampleV2`. Datasets over files: `readers.py`.

All run on the host.
"""

from __future__ import annotations

import fnmatch
import itertools
import math
import os

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.os_errors import os_errors
from reflow.core.shapes import dims_of
from reflow.io import examples
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op


def _path(name) -> str:
    return name[()].decode()


def _text(value) -> np.ndarray:
    """A scalar string as arrays hold it."""
    return np.array(value, object)


@op("ReadFile", shape=rules.scalar, grad=NO_GRADIENT, host=True, effect=True, overlaps=True, touches=("files",))
def read_file(_, filename):
    path = _path(filename)
    with os_errors(path), open(path, "rb") as file:
        return _text(file.read())


@op("WriteFile", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def write_file(_, filename, contents):
    path = _path(filename)
    with os_errors(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(contents[()])
    return ()


def _vector(f):
    return [(None,)]


@op("MatchingFiles", shape=_vector, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def matching_files(_, pattern):
    found = sorted({name for p in pattern.reshape(-1) for name in _matches(p.decode())})
    return np.fromiter([name.encode() for name in found], object, len(found))


def _matches(pattern: str) -> list[str]:
    """Paths that fit; as in TensorFlow, `*` and `?` do not cross folders."""
    folder, last = os.path.split(pattern)
    folders = [folder]
    if any(c in folder for c in "*?["):
        folders = [f for f in _matches(folder) if os.path.isdir(f)]
    found = []
    for one in folders:
        if os.path.isdir(one or "."):
            found += [os.path.join(one, name) for name in os.listdir(one or ".") if fnmatch.fnmatchcase(name, last)]
    return found


def _raw_shape(f):
    return [None if f.shapes[0] is None else (*f.shapes[0], None)]


@op("DecodeRaw", shape=_raw_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_raw(_, bytes, out_type, little_endian=True):
    flat = bytes.reshape(-1)
    lengths = {len(b) for b in flat}
    if len(lengths) > 1:
        odd = next(i for i, b in enumerate(flat) if len(b) != len(flat[0]))
        raise errors.InvalidArgumentError(
            None,
            None,
            f"DecodeRaw requires input strings to all be the same size, but element {odd} has size "
            f"{len(flat[odd])} != {len(flat[0])}",
        )
    length, size = lengths.pop() if lengths else 0, out_type.np_dtype.itemsize
    if length % size:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the size of {out_type.name}",
        )
    out = np.frombuffer(b"".join(flat), out_type.np_dtype)
    return (out if little_endian else out.byteswap()).reshape(*bytes.shape, length // size)


# --- tf.train.Example -----------------------------------------------------------------------------------------------

_LISTS = {dtypes.float32: "float_list", dtypes.int64: "int64_list", dtypes.string: "bytes_list"}
_NAMES = {"float_list": "float", "int64_list": "int64", "bytes_list": "string"}


def _example_shapes(f):
    batch = f.shapes[0]
    scalar = batch == ()
    sparse = [dims_of(s) for s in f.attrs["dense_shapes"]]
    count, ragged = len(f.attrs["sparse_types"]), len(f.attrs["ragged_value_types"])
    width = None if batch is None else 1 if scalar else 2
    return (
        [(None, width)] * count
        + [(None,)] * count
        + [(width,)] * count
        + [None if batch is None or s is None else (*batch, *s) for s in sparse]
        + [(None,)] * ragged
        + [(0,) if scalar else (None,)] * ragged
    )


@op("ParseExampleV2", shape=_example_shapes, grad=NO_GRADIENT, host=True, joins_rows=True)
def parse_example(
    _, serialized, names, sparse_keys, dense_keys, ragged_keys, dense_defaults, sparse_types, ragged_value_types,
    ragged_split_types, dense_shapes,
):
    scalar = serialized.ndim == 0
    rows = []
    for i, text in enumerate(serialized.reshape(-1)):
        try:
            rows.append(examples.Example.FromString(text).features.feature)
        except Exception as error:  # protobuf's DecodeError has no public home that is stable
            raise errors.InvalidArgumentError(
                None, None, f"Could not parse example input, value: '{text[:60]!r}' (index {i})"
            ) from error
    sparse = [_sparse(rows, key.decode(), kind, scalar) for key, kind in zip(sparse_keys.reshape(-1), sparse_types)]
    ragged = [
        _ragged(rows, key.decode(), kind, splits, scalar)
        for key, kind, splits in zip(ragged_keys.reshape(-1), ragged_value_types, ragged_split_types)
    ]
    dense = []
    for key, default, dims in zip(dense_keys.reshape(-1), dense_defaults, dense_shapes):
        kind = dtypes.string if default.dtype == object else dtypes.as_dtype(default.dtype)
        out = _dense(rows, key.decode(), default, dims_of(dims), kind)
        dense.append(out[0, ...] if scalar else out)
    return tuple(
        [s[0] for s in sparse]
        + [s[1] for s in sparse]
        + [s[2] for s in sparse]
        + dense
        + [r[0] for r in ragged]
        + [r[1] for r in ragged]
    )


def _values(row, key: str, kind, index: int):
    """The list of a feature, or None where the example lacks it."""
    feature = row.get(key)
    found = None if feature is None else feature.WhichOneof("kind")
    if found is None:
        return None
    if found != _LISTS[kind]:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Key: {key}.  Data types don't match. Data type: {_NAMES[found]} but "
            f"expected type: {kind.name} (example {index})",
        )
    return getattr(feature, found).value


def _array(items, kind) -> np.ndarray:
    return np.fromiter(items, kind.np_dtype, len(items))


def _dense(rows, key, default, dims, kind):
    """One array for all examples; the first axis of `dims` may be unknown, then rows are padded."""
    if dims and dims[0] is None:
        return _padded(rows, key, default, dims, kind)
    count, parts = math.prod(dims), []
    for i, row in enumerate(rows):
        found = _values(row, key, kind, i)
        if found is None:
            if not default.size and count:
                raise errors.InvalidArgumentError(
                    None, None, f"Feature: {key} (data type: {kind.name}) is required but could not be found."
                )
            parts.append(np.broadcast_to(default, dims).reshape(-1).tolist())
            continue
        if len(found) != count:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Key: {key}.  Number of {kind.name} values != expected.  Values size: {len(found)} but output "
                f"shape: [{','.join(map(str, dims))}]",
            )
        parts.append(found)
    flat = itertools.chain.from_iterable(parts)
    return np.fromiter(flat, kind.np_dtype, len(parts) * count).reshape(len(parts), *dims)


def _padded(rows, key, default, dims, kind):
    inner = int(np.prod(dims[1:]))
    found = [
        _array(_values(row, key, kind, i) or () if inner else (), kind).reshape(-1 if inner else 0, *dims[1:])
        for i, row in enumerate(rows)
    ]
    longest = max((len(f) for f in found), default=0)
    fill = default.reshape(-1)[0] if default.size else (b"" if kind is dtypes.string else 0)
    out = np.full((len(rows), longest, *dims[1:]), fill, kind.np_dtype if kind is not dtypes.string else object)
    for i, values_ in enumerate(found):
        out[i, : len(values_)] = values_
    return out


def _sparse(rows, key, kind, scalar):
    """(indices, values, shape) of a feature of any length."""
    found = [_array(_values(row, key, kind, i) or (), kind) for i, row in enumerate(rows)]
    longest = max((len(f) for f in found), default=0)
    if scalar:
        return np.arange(longest, dtype=np.int64).reshape(-1, 1), found[0], np.array([longest], np.int64)
    lengths = [len(f) for f in found]
    indices = np.empty((sum(lengths), 2), np.int64)  # every element is written: both columns
    indices[:, 0] = np.repeat(np.arange(len(found)), lengths)
    indices[:, 1] = np.concatenate([np.arange(n) for n in lengths]) if lengths else []
    joined = np.concatenate(found) if found else _array((), kind)
    return indices, joined, np.array([len(rows), longest], np.int64)


def _ragged(rows, key, kind, splits, scalar):
    found = [_array(_values(row, key, kind, i) or (), kind) for i, row in enumerate(rows)]
    lengths = [0, *np.cumsum([len(f) for f in found])]
    return (np.concatenate(found) if found else _array((), kind)), np.array([] if scalar else lengths, splits.np_dtype)
