"""Tensors as strings and back: `tf.io.serialize_tensor`, `parse_tensor`, and the same of sparse tensors."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor


@export("io.serialize_tensor")
def serialize_tensor(tensor, name=None):
    """A tensor as a scalar string: a TensorProto, which `tf.io.parse_tensor` reads again.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32).numpy().tolist()
    [1, 2]
    """
    return call("SerializeTensor", (convert_to_tensor(tensor),), label=name)


@export("io.parse_tensor")
def parse_tensor(serialized, out_type, name=None):
    """The tensor that a scalar string holds, as `tf.io.serialize_tensor` made it.

    Raises InvalidArgumentError if the string is no tensor, or one of another dtype than `out_type`.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor(["a", "b"]), tf.string).numpy().tolist()
    [b'a', b'b']
    """
    return call("ParseTensor", (convert_to_tensor(serialized, dtypes.string),), {"out_type": dtypes.as_dtype(out_type)}, name)


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
def serialize_sparse(sp_input, out_type=dtypes.string, name=None):
    """A sparse tensor as a vector of three: its indices, its values and its shape, each serialized.

    >>> tf.io.serialize_sparse(tf.sparse.from_dense([0, 7])).shape
    TensorShape([3])
    """
    return _parts("SerializeSparse", sp_input, out_type, name)


@export("io.serialize_many_sparse")
def serialize_many_sparse(sp_input, out_type=dtypes.string, name=None):
    """The rows of a sparse tensor, each as a vector of three strings: a matrix with a row for each.

    >>> rows = tf.io.serialize_many_sparse(tf.sparse.from_dense([[0, 7], [8, 0]]))
    >>> rows.shape, tf.sparse.to_dense(tf.io.deserialize_many_sparse(rows[1:], tf.int32)).numpy().tolist()
    (TensorShape([2, 3]), [[8, 0]])
    """
    return _parts("SerializeManySparse", sp_input, out_type, name)


@export("io.deserialize_many_sparse")
def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """The sparse tensor whose rows a matrix of strings holds; its shape is the largest of theirs.

    Args:
      serialized_sparse: a matrix of strings with three columns, as `tf.io.serialize_many_sparse` makes it.
      dtype: the dtype of the values.
      rank: the number of axes of the result, if it is known.

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
