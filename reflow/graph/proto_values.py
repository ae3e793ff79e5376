"""Values inside GraphDefs: shapes, dtypes, tensors and attributes, to and from protos.

    TensorShapeProto   () for a scalar, (None, 2) for a partial shape, None for an unknown rank (`unknown_rank`)
    TensorProto        `tensor_content` holds the bytes of all elements, of strings after their lengths; or a typed list
                       (`float_val`, …) holds the first, and the last of them stands for all that follow; an empty
                       list means zeros
    AttrValue          one field by kind, as the OpDef's attribute says: `type`, `shape`, `tensor`, `func`, …, `list`

Files are not trusted: a tensor that exceeds a limit, or whose bytes do not match its shape, is rejected before anything
of its size is allocated.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from tensorboard.compat.proto import attr_value_pb2, tensor_pb2, tensor_shape_pb2

from reflow.core import dtypes, limits
from reflow.core.shapes import dims_of
from reflow.core.types import Dims, Proto
from reflow.graph import python_tokens
from reflow.ops.kernels.sparse.variants import RaggedVariant, TensorVariant

AttrValue = attr_value_pb2.AttrValue
MAX_RANK = 254  # TensorFlow's

_BY_ENUM = {d.enum: d for d in dtypes.ALL}
#: the typed list that holds the values of a dtype
_FIELDS = {
    "float32": "float_val",
    "float64": "double_val",
    "string": "string_val",
    "complex64": "scomplex_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "complex128": "dcomplex_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    "float16": "half_val",
    "bfloat16": "half_val",
}


# --- dtypes and shapes ------------------------------------------------------------------------------------------------


def decode_dtype(enum: int) -> dtypes.DType:
    """The dtype of an enum in a file; reference types (TensorFlow 1) stand for their base."""
    found = _BY_ENUM.get(enum - 100 if enum > 100 else enum)
    if found is None:
        raise ValueError(f"Unknown data type number {enum}.")
    return found


def encode_shape(dims: Dims | None, proto: Proto | None = None) -> Proto:
    """A partial shape as a TensorShapeProto."""
    proto = tensor_shape_pb2.TensorShapeProto() if proto is None else proto
    if dims is None:
        proto.unknown_rank = True
        return proto
    for d in dims:
        proto.dim.add(size=-1 if d is None else d)
    return proto


def decode_shape(proto: Proto) -> Dims | None:
    """
    >>> decode_shape(encode_shape((None, 2)))
    (None, 2)
    """
    if proto.unknown_rank:
        return None
    if len(proto.dim) > MAX_RANK:
        raise ValueError(f"A shape of rank {len(proto.dim)} in a file; at most {MAX_RANK} is allowed.")
    return tuple(None if d.size < 0 else d.size for d in proto.dim)


# --- tensors ----------------------------------------------------------------------------------------------------------


#: types whose elements are written as numbers: their memory layout is not portable, or TensorFlow writes them that way
_NEVER_CONTENT = frozenset({"bool", "complex64", "complex128", "int4", "uint4", "int2", "uint2"})


def encode_tensor(
    value: Any, dtype: dtypes.DType | None = None, shape: tuple[int, ...] | None = None, as_bytes: bool = False
) -> Proto:
    """An array as a TensorProto, with another `shape` if given: the last element then stands for all missing ones.

    As in TensorFlow, several numbers are written as bytes, one number or none in a typed list; with `as_bytes`, always
    as bytes. An array that repeats one element (`np.broadcast_to`) is written as that element.
    """
    if isinstance(value, dict):  # the default of an attribute
        return json_format.ParseDict(value, tensor_pb2.TensorProto())
    array = np.asarray(value)
    dtype = dtype or dtypes.FROM_NUMPY[array.dtype]
    proto = tensor_pb2.TensorProto(dtype=dtype.enum)
    encode_shape(array.shape if shape is None else shape, proto.tensor_shape)
    proto.tensor_shape.SetInParent()
    if shape is None and array.size > 1 and not any(array.strides):
        array, shape = array.reshape(-1)[:1], array.shape
    if dtype.kind == "s":
        proto.string_val.extend(array.reshape(-1).tolist())
    elif dtype.kind == "o":
        raise ValueError(f"A {dtype.name} tensor has no place in a file.")
    else:
        data = np.ascontiguousarray(array, dtype.np_dtype)
        whole = shape is None or math.prod(shape) == data.size
        if data.dtype.byteorder == ">":
            data = data.astype(data.dtype.newbyteorder("<"))
        if as_bytes or whole and data.size > 1 and dtype.name not in _NEVER_CONTENT:
            proto.tensor_content = data.tobytes()
        else:
            put_values(proto, data.reshape(-1), dtype)
    return proto


def put_values(proto: Proto, data: np.ndarray, dtype: dtypes.DType) -> None:
    """Append the elements of a flat array to the matching field of a TensorProto."""
    field = value_field(dtype)
    if field == "float8_val":
        proto.float8_val = data.tobytes()
        return
    if field == "half_val":
        data = data.view(np.uint16)
    elif dtype.kind == "c":
        data = data.view(dtype.real_dtype.np_dtype)
    elif dtype.kind in "iu":
        data = data.astype(np.uint64 if field == "uint64_val" else np.int64)
    getattr(proto, field).extend(data.tolist())


def decode_tensor(proto: Proto) -> np.ndarray:
    """A TensorProto as a read-only array."""
    dtype = decode_dtype(proto.dtype)
    shape: Any = decode_shape(proto.tensor_shape)
    if shape is None or None in shape:
        raise ValueError("A tensor in a file has an unknown dimension.")
    count = math.prod(shape)
    excess = limits.excess("REFLOW_MAX_CONSTANT_BYTES", count * _item_bytes(dtype))
    if excess:
        raise ValueError(f"A tensor in a file declares the shape {list(shape)} of {dtype.name}: {excess}.")
    if dtype is dtypes.variant:
        return _variants(proto, shape, count)
    if dtype.kind == "o":
        raise ValueError(f"A {dtype.name} tensor in a file cannot be read.")
    if proto.tensor_content and dtype.kind == "s":
        array = _strings_in(proto.tensor_content, count).reshape(shape)
    elif proto.tensor_content:
        if len(proto.tensor_content) != count * dtype.size:
            raise ValueError(
                f"A tensor in a file has the shape {list(shape)} of {dtype.name} but {len(proto.tensor_content)} bytes."
            )
        array = np.frombuffer(proto.tensor_content, dtype.np_dtype).reshape(shape)
    else:
        array = _filled(_typed_values(proto, dtype), shape, count, dtype)
    array.flags.writeable = False
    return array


def _variants(proto: Proto, shape: tuple[int, ...], count: int) -> np.ndarray:
    """A tensor of variants: ragged tensors, or the parts of sparse ones, in their dataset form."""
    parts: Any = proto.variant_val
    if proto.tensor_content:
        try:
            parts = [
                tensor_pb2.VariantTensorDataProto.FromString(text) for text in _strings_in(proto.tensor_content, count)
            ]
        except DecodeError as error:
            raise ValueError(f"A variant tensor in a file cannot be read: {error}") from None
    if len(parts) != count:
        raise ValueError(f"A tensor in a file has the shape {list(shape)} of variant but {len(parts)} values.")
    array = np.empty(count, object)  # every element is written below
    for i, part in enumerate(parts):
        array[i] = _variant(part)
    array = array.reshape(shape)
    array.flags.writeable = False
    return array


def _variant(proto: Proto) -> Any:
    tensors = [decode_tensor(t) for t in proto.tensors]
    if proto.type_name == "tensorflow::Tensor" and len(tensors) == 1:
        return TensorVariant(tensors[0])
    if proto.type_name == "RaggedTensorVariant" and tensors:
        *splits, values = tensors
        return RaggedVariant(splits, values)
    raise ValueError(f"A variant tensor in a file holds a {proto.type_name}, which cannot be read.")


def _strings_in(content: bytes, count: int) -> np.ndarray:
    """The strings of a tensor in packed form: all lengths as varints (seven bits per byte), then all bytes."""
    lengths: list[int] = []
    at = 0
    while len(lengths) < count and at < len(content):
        length = shift = 0
        while at < len(content):
            byte, at = content[at], at + 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                lengths.append(length)
                break
    if len(lengths) != count or sum(lengths) != len(content) - at:
        raise ValueError(f"A tensor in a file has {count} strings, but other bytes than those of {count} strings.")
    ends = list(itertools.accumulate(lengths, initial=at))
    return np.fromiter([content[start:end] for start, end in itertools.pairwise(ends)], object, count)


def _item_bytes(dtype: dtypes.DType) -> int:
    return 8 if dtype.kind in "so" else dtype.size  # strings are pointers in an array


def repeated_bytes(proto: Proto) -> int:
    """The memory that `decode_tensor` needs for values that the file does not contain: a short list whose last value
    repeats.

    A list of one value costs nothing, whatever its shape (`_filled`).
    """
    dtype = _BY_ENUM.get(proto.dtype)
    if dtype is None or proto.tensor_shape.unknown_rank:
        return 0
    held = len(getattr(proto, value_field(dtype))) // (2 if dtype.kind == "c" else 1)
    count = math.prod([d.size for d in proto.tensor_shape.dim])
    return count * _item_bytes(dtype) if 1 < held < count else 0


def value_field(dtype: dtypes.DType) -> str:
    """The field of a TensorProto that holds single values of a dtype."""
    return _FIELDS.get(dtype.name, "float8_val" if dtype.name.startswith("float8") else "int_val")


def _typed_values(proto: Proto, dtype: dtypes.DType) -> np.ndarray:
    field = value_field(dtype)
    values = getattr(proto, field)
    if field == "string_val":
        return np.fromiter(values, object, len(values))
    if field == "float8_val":
        return np.frombuffer(values, np.uint8).view(dtype.np_dtype)
    if field == "half_val":
        return np.array(values, np.int64).astype(np.uint16).view(dtype.np_dtype)
    if dtype.kind == "c":
        parts = np.array(values, dtype.real_dtype.np_dtype)
        return parts[: len(parts) // 2 * 2].view(dtype.np_dtype)
    return np.array(values, np.int64 if field == "int_val" else None).astype(dtype.np_dtype)


def _filled(values: np.ndarray, shape: tuple[int, ...], count: int, dtype: dtypes.DType) -> np.ndarray:
    """Values with the last repeated; a single value costs no memory, whatever the shape."""
    if len(values) > count:
        raise ValueError(f"A tensor in a file has the shape {list(shape)} but {len(values)} values.")
    if len(values) == count:
        return values.reshape(shape)
    if not len(values):
        zero = np.array(b"", object) if dtype.kind == "s" else np.zeros((), dtype.np_dtype)
        return np.broadcast_to(zero, shape)
    if len(values) == 1:
        return np.broadcast_to(values.reshape(()), shape)
    return np.concatenate([values, np.broadcast_to(values[-1:], count - len(values))]).reshape(shape)


# --- attributes -------------------------------------------------------------------------------------------------------


def encode_attr(kind: str, value: Any, function_name: Any) -> Proto:
    """An attribute of the given OpDef type; `function_name` names the graph of a function."""
    proto = AttrValue()
    if kind.startswith("list("):
        inner = kind[5:-1]
        proto.list.SetInParent()
        for item in value:
            _add_to_list(proto.list, inner, item, function_name)
    elif kind == "type":
        proto.type = dtypes.as_dtype(value).enum
    elif kind == "shape":
        encode_shape(dims_of(value), proto.shape)
        proto.shape.SetInParent()
    elif kind == "tensor":
        proto.tensor.CopyFrom(encode_tensor(value))
    elif kind == "func":
        proto.func.name = function_name(value)
    elif kind == "string":
        text = python_tokens.name_of(value) if callable(value) else value
        proto.s = text.encode(errors="surrogateescape") if isinstance(text, str) else bytes(text)
    elif kind == "int":
        proto.i = int(value)
    elif kind == "float":
        proto.f = float(value)
    elif kind == "bool":
        proto.b = bool(value)
    else:
        raise TypeError(f"No proto for an attribute of type {kind!r}.")
    return proto


def _add_to_list(proto: Proto, kind: str, item: Any, function_name: Any) -> None:
    if kind == "shape":
        encode_shape(dims_of(item), proto.shape.add())
    elif kind == "func":
        proto.func.add(name=function_name(item))
    elif kind == "tensor":
        proto.tensor.add().CopyFrom(encode_tensor(item))
    else:
        field = {"type": "type", "string": "s", "int": "i", "float": "f", "bool": "b"}[kind]
        getattr(proto, field).append(getattr(encode_attr(kind, item, function_name), field))


def encode_plain(value: Any) -> Proto:
    """An attribute without a type from an OpDef: a number, a string, or a list of them."""
    proto = AttrValue()
    if isinstance(value, (list, tuple)):
        proto.list.SetInParent()
        for item in value:
            _add_to_list(proto.list, _kind_of(item), item, None)
        return proto
    return encode_attr(_kind_of(value), value, None)


def decode_plain(proto: Proto) -> Any:
    """The value of such an attribute; strings as bytes."""
    held = proto.WhichOneof("value")
    if held == "list":
        return [value for _, values in proto.list.ListFields() for value in values]
    return None if held is None else getattr(proto, held)


def _kind_of(value: Any) -> str:
    return (
        "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float" if isinstance(value, float)
        else "string"
    )


def decode_attr(kind: str, proto: Proto, function_graph: Any) -> Any:
    """The Python value of an attribute; `function_graph` returns the graph of a function by name."""
    held = proto.WhichOneof("value")
    if held == "placeholder":
        raise ValueError(f"a value that depends on the caller ('{proto.placeholder}'), which is not supported")
    wanted = (
        "list" if kind.startswith("list(") else {"string": "s", "int": "i", "float": "f", "bool": "b"}.get(kind, kind)
    )
    if held != wanted and held is not None:
        raise ValueError(f"a value of kind '{held}', expected '{kind}'")
    if wanted == "list":
        return _decode_list(kind[5:-1], proto.list, function_graph)
    return _decode_one(kind, getattr(proto, wanted), function_graph)


def _decode_one(kind: str, value: Any, function_graph: Any) -> Any:
    if kind == "type":
        return decode_dtype(value)
    if kind == "shape":
        return decode_shape(value)
    if kind == "tensor":
        return decode_tensor(value)
    if kind == "func":
        return function_graph(value.name)
    if kind == "string":
        return _text(value)
    return value


def _decode_list(kind: str, proto: Proto, function_graph: Any) -> list[Any]:
    field = {"string": "s", "int": "i", "float": "f", "bool": "b"}.get(kind, kind)
    return [_decode_one(kind, v, function_graph) for v in getattr(proto, field)]


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def output_shapes(node_proto: Proto) -> list | None:
    """The `_output_shapes` that a file gives for a node, if any."""
    if "_output_shapes" not in node_proto.attr:
        return None
    return [decode_shape(s) for s in node_proto.attr["_output_shapes"].list.shape]
