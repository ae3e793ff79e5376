"""Protocol buffer messages as tensors, and back: `DecodeProtoV2`, `EncodeProto`.

The type of a message comes from `descriptor_source`: `local://` means the messages known to this process (those of
Google's Python package, and Reflow's under TensorFlow's names), `bytes://…` holds a serialized FileDescriptorSet,
anything else is a file with one. A result has the shape of the messages and one more axis, as long as the longest list
of that field, padded with the field's default. Nested messages are strings.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from reflow.core import dtypes, errors
from reflow.ops import shape_rules as rules
from reflow.ops.from_python import short_name
from reflow.ops.kernels.strings.elementwise import invalid
from reflow.ops.registry import NO_GRADIENT, op

#: by the number of a field's type in a descriptor: its name, and the dtypes that hold it
_KINDS: dict[int, tuple[str, tuple[dtypes.DType, ...]]] = {
    1: ("double", (dtypes.float64,)), 2: ("float", (dtypes.float32, dtypes.float64)), 3: ("int64", (dtypes.int64,)),
    4: ("uint64", (dtypes.uint64,)), 5: ("int32", (dtypes.int32, dtypes.int64)),
    6: ("fixed64", (dtypes.uint64,)), 7: ("fixed32", (dtypes.uint32, dtypes.uint64)),
    8: ("bool", (dtypes.bool_,)), 9: ("string", (dtypes.string,)), 10: ("group", (dtypes.string,)),
    11: ("message", (dtypes.string,)), 12: ("bytes", (dtypes.string,)),
    13: ("uint32", (dtypes.uint32, dtypes.uint64)), 14: ("enum", (dtypes.int32,)),
    15: ("sfixed32", (dtypes.int32, dtypes.int64)), 16: ("sfixed64", (dtypes.int64,)),
    17: ("sint32", (dtypes.int32, dtypes.int64)), 18: ("sint64", (dtypes.int64,)),
}
_NESTED = (10, 11)


@functools.lru_cache(64)
def _message(source: str, name: str) -> Any:
    """The class of a message; InvalidArgumentError if the source does not have it."""
    from google.protobuf import descriptor_pool, message_factory

    pool = descriptor_pool.Default() if source in ("", "local://") else _pool(source)
    for spelled in (name, name.replace("tensorflow.", "reflow.", 1)):
        try:
            return message_factory.GetMessageClass(pool.FindMessageTypeByName(spelled))
        except KeyError:
            continue
    raise invalid(f"No descriptor found for message type {name}")


def _pool(source: str) -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool
    from google.protobuf.message import DecodeError

    complaint = (
        "Source does not represent serialized file descriptor set proto. This may be due to a missing dependency on "
        f'the file containing REGISTER_DESCRIPTOR_POOL("{source}", ...);'
    )
    try:
        if source.startswith("bytes://"):
            data = source[8:].encode(errors="surrogateescape")
        else:
            with open(source, "rb") as file:
                data = file.read()
        files = descriptor_pb2.FileDescriptorSet.FromString(data)
    except (OSError, DecodeError):
        raise invalid(complaint) from None
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def _fields(message: Any, names: list[str], name: str) -> list[Any]:
    known = message.DESCRIPTOR.fields_by_name
    for field in names:
        if field not in known:
            raise invalid(f"Unknown field: {field} in message type {name}")
    return [known[field] for field in names]


def _touches(attrs) -> tuple[str, ...]:
    """Only a source that is a path reads a file."""
    source = attrs["descriptor_source"]
    return () if source in ("", "local://") or source.startswith("bytes://") else ("files",)


# --- decoding ---------------------------------------------------------------------------------------------------------


def _decoded_shape(f):
    dims, count = f.shapes[0], len(f.attrs["field_names"])
    if dims is None:
        return [None] * (count + 1)
    return [(*dims, count), *[(*dims, None)] * count]


def _parsed(message: Any, data: bytes, text: bool) -> Any:
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    try:
        return text_format.Parse(data, message()) if text else message.FromString(data)
    except text_format.ParseError:
        raise errors.DataLossError(None, None, "Unable to parse text protobuf") from None
    except DecodeError:
        raise errors.DataLossError(None, None, "CountFields: Failed to consume entire buffer") from None


def _values(parsed: Any, field: Any) -> list[Any]:
    """The entries of a field, nested messages as bytes."""
    if field.is_repeated:
        found = list(getattr(parsed, field.name))
    else:
        found = [getattr(parsed, field.name)] if _is_set(parsed, field) else []
    if field.type in _NESTED:
        return [v.SerializeToString() for v in found]
    return [v.encode() if isinstance(v, str) else v for v in found]


def _is_set(parsed: Any, field: Any) -> bool:
    """Whether a singular field is set in a message.

    If the format does not tell, whether it differs from its default.
    """
    return parsed.HasField(field.name) if field.has_presence else getattr(parsed, field.name) != field.default_value


def _default(field: Any) -> Any:
    if field.is_repeated or field.type in _NESTED:
        return b"" if _KINDS[field.type][1][0] is dtypes.string else 0
    value = field.default_value
    return value.encode() if isinstance(value, str) else value


def _column(rows: list[list[Any]], field: Any, dtype: dtypes.DType) -> np.ndarray:
    width = max(1, *(len(row) for row in rows))
    default = _default(field)
    full = [[*row, *[default] * (width - len(row))] for row in rows]
    if dtype is not dtypes.string:
        return np.array(full, dtype.np_dtype)
    out = np.full((len(rows), width), b"", object)
    for i, row in enumerate(full):
        out[i] = row
    return out


@op("DecodeProtoV2", shape=_decoded_shape, grad=NO_GRADIENT, host=True, touches=_touches)
def decode_proto(
    _, bytes, message_type, field_names, output_types, descriptor_source="local://", message_format="binary"
):
    if message_format not in ("binary", "text"):
        raise invalid("format must be one of binary or text")
    if len(field_names) != len(output_types):
        raise invalid("field_names and output_types attributes must have the same length")
    message = _message(descriptor_source, message_type)
    fields = _fields(message, field_names, message_type)
    for field, dtype in zip(fields, output_types, strict=True):
        kind, allowed = _KINDS[field.type]
        if dtype not in allowed:
            raise invalid(f"Unexpected output type for {message_type}.{field.name}: {kind} to {_enum(dtype)}")
    if not bytes.size:
        raise invalid("Bufs argument must contain at least one value")
    parsed = [_parsed(message, data, message_format == "text") for data in bytes.reshape(-1).tolist()]
    rows = [[_values(one, field) for one in parsed] for field in fields]
    sizes = np.array([[len(row) for row in column] for column in rows], np.int32).reshape(len(fields), -1).T
    columns = [_column(column, field, dtype) for column, field, dtype in zip(rows, fields, output_types, strict=True)]
    return sizes.reshape(*bytes.shape, len(fields)), *(c.reshape(*bytes.shape, c.shape[1]) for c in columns)


def _enum(dtype: dtypes.DType) -> str:
    return f"DT_{short_name(dtype).upper()}"


# --- encoding ---------------------------------------------------------------------------------------------------------


def _encoded_shape(f):
    dims = f.shapes[0]
    return [None if dims is None else dims[:-1]]


def _put(message: Any, field: Any, values: list[Any]) -> None:
    """Write the entries of one field."""
    from google.protobuf.message import DecodeError

    if field.type in _NESTED:
        try:
            for value in values:
                target = getattr(message, field.name)
                (target.add() if field.is_repeated else target).MergeFromString(value)
        except DecodeError:
            raise invalid(f"Field {field.name} holds no message") from None
        return
    if field.type == 9:
        values = [value.decode() for value in values]
    if field.is_repeated:
        getattr(message, field.name).extend(values)
    elif values:
        setattr(message, field.name, values[-1])


def _check_values(sizes: Any, values: Any, fields: list[Any], names: list[str], types: list[dtypes.DType]) -> None:
    batch = sizes.shape[:-1]
    if sizes.ndim < 1 or sizes.shape[-1] != len(names):
        expected = (*batch, len(names))
        raise invalid(
            f"sizes should be batch_size + [len(field_names)].  Saw: {rules.text(sizes.shape)} but expected: "
            f"{rules.text(expected)}"
        )
    for i, (x, field, dtype) in enumerate(zip(values, fields, types, strict=True)):
        kind, allowed = _KINDS[field.type]
        if dtype not in allowed:
            raise invalid(
                f"Incompatible type for field {field.name}.  Saw dtype: {short_name(dtype)} but field type is: {kind}"
            )
        if x.ndim != sizes.ndim or x.shape[:-1] != batch:
            raise invalid(
                f"values must match up to the last dimension: {rules.text(x.shape)} vs {rules.text(sizes.shape)}"
            )
        counts = sizes[..., i].reshape(-1)
        if (counts > x.shape[-1]).any():
            at = int((counts > x.shape[-1]).argmax())
            raise invalid(
                f"Size to write must not be larger than value tensor; but saw: {counts[at]} > {x.shape[-1]} "
                f"at message {at} field {i}"
            )


@op("EncodeProto", shape=_encoded_shape, grad=NO_GRADIENT, host=True, touches=_touches)
def encode_proto(_, sizes, values, field_names, message_type, Tinput_types, descriptor_source="local://"):
    message = _message(descriptor_source, message_type)
    fields = _fields(message, field_names, message_type)
    _check_values(sizes, values, fields, field_names, Tinput_types)
    batch = sizes.shape[:-1]
    counts = sizes.reshape(-1, len(fields))
    rows = [x.reshape(-1, x.shape[-1]) for x in values]
    out = np.full(len(counts), b"", object)
    for i, count in enumerate(counts.tolist()):
        built = message()
        for field, column, number in zip(fields, rows, count, strict=True):
            _put(built, field, column[i, :number].tolist())
        out[i] = built.SerializeToString()
    return out.reshape(batch)
