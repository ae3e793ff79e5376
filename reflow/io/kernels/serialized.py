"""Tensors as strings: `SerializeTensor`, `ParseTensor`, and sparse tensors as rows of three such strings.

A tensor is written as a TensorProto. A sparse tensor is a row of three: its indices, values and shape. Instead of
strings the row may hold variants, which only `DeserializeSparse` reads.
"""

from __future__ import annotations

import base64
import itertools
from typing import Any

import numpy as np

from reflow.core import dtypes, errors, limits
from reflow.data import positions
from reflow.data.engine.older import Position
from reflow.graph.proto_values import decode_tensor, encode_tensor
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.sparse.tensors import check_bounds, check_order
from reflow.ops.kernels.sparse.variants import TensorVariant
from reflow.ops.registry import NO_GRADIENT, op

PARTS = ("indices", "values", "shape")


def _invalid(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


def _strings(items: list, *shape: int) -> np.ndarray:
    return np.fromiter(items, object, len(items)).reshape(shape)


# --- one tensor -----------------------------------------------------------------------------------------------------


def _written(array: np.ndarray, dtype: Any) -> bytes:
    if isinstance(array, Position):
        return positions.as_proto(array).SerializeToString(deterministic=True)
    return encode_tensor(array, dtype, as_bytes=True).SerializeToString(deterministic=True)


def _read(text: bytes, failure: str) -> tuple[Any, Any]:
    """The dtype and the array of a serialized tensor; `failure` is the error if it is none."""
    from tensorboard.compat.proto.tensor_pb2 import TensorProto

    try:
        proto = TensorProto.FromString(text)
        if positions.is_proto(proto):
            return dtypes.variant, positions.from_proto(proto)
        return dtypes.as_dtype(proto.dtype), decode_tensor(proto)
    except (ValueError, TypeError) as error:
        raise _invalid(f"{failure}: {error}") from error
    except Exception as error:  # protobuf's DecodeError has no public home that is stable
        raise _invalid(failure) from error


def _name(dtype: Any) -> str:
    """A dtype as TensorFlow's C++ prints it."""
    return {dtypes.float32: "float", dtypes.float64: "double"}.get(dtype, dtype.name)


@op("SerializeTensor", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def serialize_tensor(_, tensor, T=None):
    return np.array(_written(tensor, T), object)


@op("ParseTensor", shape=rules.unknown, grad=NO_GRADIENT, host=True)
def parse_tensor(_, serialized, out_type):
    if serialized.ndim:
        raise _invalid(f"Expected `serialized` to be a scalar, got shape: [{','.join(map(str, serialized.shape))}]")
    text = serialized[()]
    encoded = base64.urlsafe_b64encode(text).decode()
    dtype, array = _read(text, f"Could not parse `serialized` as TensorProto, base64: {encoded}")
    if dtype is not out_type:
        raise _invalid(f"Type mismatch between parsed tensor ({_name(dtype)}) and dtype ({_name(out_type)})")
    return array


# --- sparse tensors -------------------------------------------------------------------------------------------------


def _packed(rows: list, dtype: Any, out_type: Any, *shape: int):
    """Rows of (indices, values, shape) as strings or as variants."""
    kinds = (dtypes.int64, dtype, dtypes.int64)
    if out_type is dtypes.string:
        return _strings([_written(part, kind) for row in rows for part, kind in zip(row, kinds)], *shape)
    return packed_parts(rows, *shape)


def packed_parts(rows: list, *shape: int) -> np.ndarray:
    """Rows of (indices, values, shape) as variants, in an array of this shape."""
    return _strings([TensorVariant(part) for row in rows for part in row], *shape)


def _dims(array) -> str:
    return f"[{','.join(map(str, array.shape))}]"


@op("SerializeSparse", fits="2 1 1", shape=lambda f: [(3,)], grad=NO_GRADIENT, host=True)
def serialize_sparse(_, sparse_indices, sparse_values, sparse_shape, T=None, out_type=dtypes.string):
    require.sparse_parts(sparse_indices, sparse_values, sparse_shape)
    return _packed([(sparse_indices, sparse_values, sparse_shape)], T, out_type, 3)


@op("SerializeManySparse", fits="2 1 1", shape=lambda f: [(None, 3)], grad=NO_GRADIENT, host=True)
def serialize_many_sparse(_, sparse_indices, sparse_values, sparse_shape, T=None, out_type=dtypes.string):
    rows = split_rows(sparse_indices, sparse_values, sparse_shape)
    return _packed(rows, T, out_type, len(rows), 3)


_ROW_BYTES = 300  # that a row takes, however empty it is: three texts


def split_rows(indices, values, shape) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The rows of a sparse tensor along its first axis, each a sparse tensor of one axis less."""
    require.sparse_parts(indices, values, shape)
    require.entries(indices, values, shape)
    if shape.size < 2:
        raise _invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {shape.size}")
    if (shape < 0).any():
        raise _invalid(f"Expected shape dimensions to be non-negative, got {shape[shape < 0][0]}")
    require.sparse_shape(shape)
    check_bounds(indices, shape)
    check_order(indices, shape)
    count = int(shape[0])
    if count * _ROW_BYTES > limits.room():
        raise errors.ResourceExhaustedError(
            None, None, f"OOM when allocating tensor with shape[{count},3] and type string"
        )
    bounds = np.searchsorted(indices[:, 0], np.arange(count + 1)).tolist()
    return [(indices[a:b, 1:], values[a:b], shape[1:]) for a, b in itertools.pairwise(bounds)]


def _sparse_shapes(f):
    return [(None, None), (None,), (None,)]


@op("DeserializeSparse", shape=_sparse_shapes, grad=NO_GRADIENT, host=True)
def deserialize_sparse(_, serialized_sparse, dtype):
    return _unpacked(serialized_sparse, dtype)


@op("DeserializeManySparse", fits="[_,3]", shape=_sparse_shapes, grad=NO_GRADIENT, host=True)
def deserialize_many_sparse(_, serialized_sparse, dtype):
    if serialized_sparse.ndim != 2:
        raise _invalid(f"Serialized sparse should be a matrix but received shape {_dims(serialized_sparse)}")
    return _unpacked(serialized_sparse, dtype)


def _unpacked(items, dtype):
    """One sparse tensor of those in an array whose last axis holds their parts; the other axes become its first."""
    if not items.ndim or items.shape[-1] != 3:
        raise _invalid(f"Serialized sparse should have 3 as the last dimension {_dims(items)}")
    outer = items.shape[:-1]
    if not items.size:
        raise _invalid(f"Serialized sparse should have non-zero number of elements but received shape {_dims(items)}")
    rows = []
    for i, row in enumerate(items.reshape(-1, 3)):
        rows.append([_part(part, i, name, dtype) for part, name in zip(row, PARTS)])
    joined = join_rows(rows)
    if len(outer) == 1:
        return joined
    if not outer:
        return joined[0][:, 1:], joined[1], joined[2][1:]
    first = np.stack(np.unravel_index(joined[0][:, 0], outer), 1)
    return (
        np.concatenate([first, joined[0][:, 1:]], 1), joined[1],
        np.concatenate([np.array(outer, np.int64), joined[2][1:]]),
    )


def join_rows(rows: list) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sparse tensor whose rows are these: of the largest of their shapes."""
    ranks = {len(row[2]) for row in rows}
    if len(ranks) > 1:
        odd = next(i for i, row in enumerate(rows) if len(row[2]) != len(rows[0][2]))
        raise _invalid(
            f"Inconsistent shape across SparseTensors: rank prior to SparseTensor[{odd}] was: {len(rows[0][2])} but "
            f"rank of SparseTensor[{odd}] is: {len(rows[odd][2])}"
        )
    numbers = np.repeat(np.arange(len(rows)), [len(row[0]) for row in rows]).reshape(-1, 1)
    indices = np.concatenate([numbers, np.concatenate([row[0] for row in rows])], 1).astype(np.int64)
    shape = np.array([len(rows), *np.max([row[2] for row in rows], axis=0)], np.int64)
    return indices, np.concatenate([row[1] for row in rows]), shape


def _part(item: bytes | TensorVariant, row: int, part: str, dtype):
    """A part of a sparse tensor from a text or a variant."""
    if isinstance(item, TensorVariant):
        found, array = dtypes.as_dtype(item.array.dtype), item.array
    else:
        found, array = _read(item, f"Could not parse serialized_sparse[{row}, {PARTS.index(part)}]")
    wanted = dtype if part == "values" else dtypes.int64
    if found is not wanted:
        raise _invalid(
            f"Requested SparseTensor of type {_name(wanted)} but SparseTensor[{row}].{part}.dtype() == {_name(found)}"
        )
    return array
