"""Tensors as strings and back: `tf.io.serialize_tensor`, `parse_tensor`, and the same of sparse tensors."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

from reflow.api.call import call, tensor_or
from reflow.api.export import export, with_sections
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import convert_to_tensor

_SERIALIZING = """\
Args:
  sp_input: A `tf.SparseTensor`.
  out_type: `tf.string` or `tf.variant`.
  name: A name for the operation.
"""


@export("io.serialize_tensor")
@with_sections(_SERIALIZING)
def serialize_tensor(tensor, name=None):
    """Converts a tensor to a string: a TensorProto, which `tf.io.parse_tensor` reads again.

    Args:
      tensor: The tensor.

    Returns:
      A string scalar.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32).numpy().tolist()
    [1, 2]
    """
    return call("SerializeTensor", (convert_to_tensor(tensor),), label=name)


@export("io.parse_tensor")
@with_sections(_SERIALIZING)
def parse_tensor(serialized, out_type, name=None):
    """Reads the tensor that a string holds, as `tf.io.serialize_tensor` made it.

    Args:
      serialized: A string scalar.
      out_type: The dtype of the tensor.

    Returns:
      A tensor of dtype `out_type`.

    Raises:
      InvalidArgumentError: The string is no tensor, or one of another dtype.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor(["a", "b"]), tf.string).numpy().tolist()
    [b'a', b'b']
    """
    return call("ParseTensor", (tensor_or(serialized, dtypes.string),), {"out_type": dtypes.as_dtype(out_type)}, name)


def _sparse(sp_input) -> SparseTensor:
    if hasattr(sp_input, "dense_shape") and not isinstance(sp_input, SparseTensor):  # compat.v1.SparseTensorValue
        return SparseTensor(sp_input.indices, sp_input.values, sp_input.dense_shape)
    if not isinstance(sp_input, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return sp_input


def _parts(name: str, sp_input, out_type, label):
    sparse = _sparse(sp_input)
    attrs = {"out_type": dtypes.as_dtype(out_type)}
    return call(name, (sparse.indices, sparse.values, sparse.dense_shape), attrs, label)


@export("io.serialize_sparse")
@with_sections(_SERIALIZING)
def serialize_sparse(sp_input, out_type: Any = dtypes.string, name=None):
    """Converts a sparse tensor to three strings: its indices, its values and its shape, each serialized.

    Returns:
      A vector of three strings (or variants).

    Raises:
      TypeError: `sp_input` is not sparse.

    >>> tf.io.serialize_sparse(tf.sparse.from_dense([0, 7])).shape
    TensorShape([3])
    """
    return _parts("SerializeSparse", sp_input, out_type, name)


@export("io.serialize_many_sparse")
@with_sections(_SERIALIZING)
def serialize_many_sparse(sp_input, out_type: Any = dtypes.string, name=None):
    """Converts each row of a sparse tensor to three strings.

    Args:
      sp_input: A `tf.SparseTensor` of rank 2 or more.

    Returns:
      A matrix with a row of three strings (or variants) for each row.

    Raises:
      TypeError: `sp_input` is not sparse.

    >>> rows = tf.io.serialize_many_sparse(tf.sparse.from_dense([[0, 7], [8, 0]]))
    >>> rows.shape, tf.sparse.to_dense(tf.io.deserialize_many_sparse(rows[1:], tf.int32)).numpy().tolist()
    (TensorShape([2, 3]), [[8, 0]])
    """
    return _parts("SerializeManySparse", sp_input, out_type, name)


@export("io.deserialize_many_sparse")
@with_sections(_SERIALIZING)
def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """Joins serialized sparse tensors as the rows of one; its shape is the largest of theirs.

    Args:
      serialized_sparse: A matrix of strings with three columns, as `tf.io.serialize_many_sparse` makes it.
      dtype: The dtype of the values.
      rank: The number of axes of the result, if it is known.

    Returns:
      A `tf.SparseTensor` of rank one more than the tensors in it.

    >>> rows = [tf.io.serialize_sparse(tf.sparse.from_dense(row)) for row in ([1], [0, 2])]
    >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(tf.stack(rows), tf.int32)).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    strings = convert_to_tensor(serialized_sparse, dtypes.string)
    attrs = {"dtype": dtypes.as_dtype(dtype)}
    indices, values, shape = call("DeserializeManySparse", (strings,), attrs, name)
    if rank is not None:
        rank = int(rank)
        indices.set_shape([None, rank])
        shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


# --- protocol buffers -------------------------------------------------------------------------------------------------


@export("io.decode_proto")
def decode_proto(
    bytes, message_type, field_names, output_types, descriptor_source="local://", message_format="binary",
    sanitize=False, name=None,
):
    """The fields of serialized protocol buffers as tensors.

    Args:
      bytes: a tensor of strings, a message each.
      message_type: the full name of their type.
      field_names: which fields.
      output_types: the dtype of each; a message inside of the message is a string.
      descriptor_source: where the type is described: `local://` for those of this process, `bytes://` and a serialized
        FileDescriptorSet, or the path of a file that holds one.
      message_format: `binary` or `text`.
      sanitize: whether messages are rewritten before they are read; they are parsed as a whole either way.
      name: a name for the operation.

    Returns:
      A tuple (sizes, values): how many entries each field has, with an axis for the fields; and a tensor a field, with
      an axis as long as the longest list. Missing entries are the field's default.

    Raises:
      InvalidArgumentError: an unknown message or field, or a dtype that does not hold it.
      DataLossError: a string is no such message.

    >>> from google.protobuf import type_pb2
    >>> data = [type_pb2.Field(name="a").SerializeToString()]
    >>> sizes, (names,) = tf.io.decode_proto(data, "google.protobuf.Field", ["name"], [tf.string])
    >>> names.numpy().tolist(), sizes.numpy().tolist()
    ([[b'a']], [[1]])
    """
    attrs = {
        "message_type": message_type, "field_names": list(field_names),
        "output_types": [dtypes.as_dtype(t) for t in output_types], "descriptor_source": _source(descriptor_source),
        "message_format": message_format, "sanitize": sanitize,
    }
    sizes, *values = call("DecodeProtoV2", (convert_to_tensor(bytes, dtypes.string),), attrs, name)
    return DecodeProtoV2(sizes, values)


class DecodeProtoV2(NamedTuple):
    """What `tf.io.decode_proto` returns."""

    sizes: Tensor
    values: list[Tensor]


def _source(given) -> str:
    return given.decode(errors="surrogateescape") if isinstance(given, (builtins.bytes, bytearray)) else given


@export("io.encode_proto")
def encode_proto(sizes, values, field_names, message_type, descriptor_source="local://", name=None):
    """Tensors as fields of serialized protocol buffers: the reverse of `tf.io.decode_proto`.

    Args:
      sizes: how many entries of each value are written, of shape batch + [fields].
      values: a tensor a field, of shape batch + [entries].
      field_names: the name of each.
      message_type: the full name of the messages' type.
      descriptor_source: as in `tf.io.decode_proto`.
      name: a name for the operation.

    Returns:
      A tensor of strings, of the batch's shape.

    Raises:
      InvalidArgumentError: an unknown message or field, or shapes and dtypes that do not fit.

    >>> tf.io.encode_proto([[1]], [[[b"a"]]], ["name"], "google.protobuf.Field").numpy().tolist()
    [b'"\\x01a']
    """
    tensors = [convert_to_tensor(x) for x in values]
    attrs = {
        "field_names": list(field_names), "message_type": message_type, "descriptor_source": _source(descriptor_source),
        "Tinput_types": [x.dtype for x in tensors],
    }
    return call("EncodeProto", (convert_to_tensor(sizes, dtypes.int32), *tensors), attrs, name)
