"""The position of an iterator as bytes, for checkpoints.

A position is plain data (`DatasetIterator.state`): numbers, lists and dicts of them, and the arrays of elements that
wait in buffers. It is written as JSON, in which a dict with one key stands for what JSON lacks:

    {"bytes": base64}   {"tuple": [...]}   {"dict": [[key, value], ...]}
    {"array": [dtype, shape, base64]}   {"strings": [shape, [base64, ...]]}   {"window": [element, ...]}
    {"dataset": base64 of the GraphDef that makes it}
    {"shard": [folder, compression, [[leaf, ...], ...]]}

TensorFlow keeps the same thing, in a form of its own, under the same key; it cannot read ours nor we its.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from tensorboard.compat.proto.tensor_pb2 import TensorProto

from reflow.core import dtypes, errors
from reflow.core.tensor import HostObject
from reflow.data.engine import recipes
from reflow.data.engine.composites import Dense, Ragged, Sparse
from reflow.data.engine.older import Position
from reflow.data.engine.snapshots import Shard
from reflow.data.engine.values import DatasetValue, Listed


def encode(position) -> bytes:
    """A position as bytes.

    >>> decode(encode({"at": 3, "held": [np.array([1, 2])]}))
    {'at': 3, 'held': [array([1, 2])]}
    """
    return json.dumps(_plain(position)).encode()


def decode(data: bytes):
    """The position that `encode` was given."""
    try:
        return _back(json.loads(data))
    except (ValueError, UnicodeDecodeError) as error:
        raise errors.DataLossError(
            None, None, "The iterator in this checkpoint was not saved by Reflow; its position cannot be read."
        ) from error


_VARIANT = "tensorflow::Iterator"  # TensorFlow's name of the kind of variant


def as_proto(position: Position) -> Any:
    """The TensorProto of a variant that holds a position."""
    proto = TensorProto(dtype=dtypes.variant.as_datatype_enum)
    proto.variant_val.add(type_name=_VARIANT, metadata=encode(position.state))
    return proto


def is_proto(proto: Any) -> bool:
    """Whether a TensorProto is that of a position."""
    return len(proto.variant_val) == 1 and proto.variant_val[0].type_name == _VARIANT


def from_proto(proto: Any) -> Position:
    return Position(decode(proto.variant_val[0].metadata))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _plain(x) -> Any:
    if x is None or isinstance(x, (bool, int, float, str)):
        return x
    if isinstance(x, bytes):
        return {"bytes": _text(x)}
    if isinstance(x, dict):
        return {"dict": [[_plain(k), _plain(v)] for k, v in x.items()]}
    if isinstance(x, (list, tuple)):
        parts = [_plain(v) for v in x]
        return parts if isinstance(x, list) else {"tuple": parts}
    for kind, write in _WRITERS:
        if isinstance(x, kind):
            return write(x)
    if isinstance(x, HostObject) or not hasattr(x, "dtype"):
        raise errors.UnimplementedError(
            None, None, f"An iterator that holds a {type(x).__name__} in a buffer cannot be saved in a checkpoint."
        )
    array = np.asarray(x)
    if array.dtype == object:
        return {"strings": [array.shape, [_text(v) for v in array.reshape(-1)]]}
    return {"array": [dtypes.as_dtype(array.dtype).name, array.shape, _text(array.tobytes())]}


_WRITERS: list[tuple[type, Any]] = [
    (Listed, lambda x: {"window": [_plain(e) for e in x.elements]}),
    (Shard, lambda x: {"shard": [x.folder, x.compression, [_leaf(leaf) for leaf in x.leaves]]}),
    (DatasetValue, lambda x: {"dataset": _text(recipes.serialized(x, strip_devices=False))}),
]


def _leaf(leaf) -> list:
    ragged = [leaf.rank, np.dtype(leaf.splits_dtype).name] if isinstance(leaf, Ragged) else []
    return [type(leaf).__name__, *ragged]


def _shard(parts):
    folder, compression, leaves = parts
    return Shard(folder, compression, [_LEAVES[kind](*rest) for kind, *rest in leaves])


_LEAVES: dict[str, Any] = {"Dense": Dense, "Sparse": Sparse, "Ragged": lambda rank, name: Ragged(rank, np.dtype(name))}


def _back(x) -> Any:
    if isinstance(x, list):
        return [_back(v) for v in x]
    if not isinstance(x, dict):
        return x
    ((kind, value),) = x.items()
    return _READERS[kind](value)


def _array(parts):
    name, shape, text = parts
    return np.frombuffer(base64.b64decode(text), dtypes.as_dtype(name).np_dtype).reshape(shape)


def _strings(parts):
    shape, texts = parts
    return np.fromiter(map(base64.b64decode, texts), object, len(texts)).reshape(shape)


_READERS: dict[str, Any] = {
    "bytes": base64.b64decode,
    "tuple": lambda parts: tuple(_back(parts)),
    "dict": lambda pairs: {_back(k): _back(v) for k, v in pairs},
    "array": _array,
    "strings": _strings,
    "window": lambda elements: Listed(_back(elements)),
    "shard": _shard,
    "dataset": lambda text: recipes.deserialized(base64.b64decode(text), allow_unsafe=False),
}
