"""`tf.SparseTensor`, and functions of `tf.sparse` that make such tensors, move their entries, and make them dense."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.call import call
from reflow.api.export import export, export_value
from reflow.api.framework import core_names
from reflow.api.math import arithmetic, reduce
from reflow.core import dtypes, sparse
from reflow.core.context import state
from reflow.core.shapes import TensorShape, dims_of
from reflow.core.sparse import SparseTensor, SparseTensorSpec, SparseTensorValue
from reflow.core.tensor import TensorBase
from reflow.ops.convert import constant, convert_to_tensor

export_value(SparseTensor, "SparseTensor", "sparse.SparseTensor", "compat.v1.SparseTensor")
export_value(SparseTensorSpec, "SparseTensorSpec")
export_value(SparseTensorValue, "compat.v1.SparseTensorValue")


def _to_tensor(value, dtype=None):
    if isinstance(value, TensorBase) and dtype is not None and value.dtype is not dtype:
        return call("Cast", (convert_to_tensor(value),), {"DstT": dtype})
    return convert_to_tensor(value, dtype)


sparse.install_conversion(_to_tensor)


def as_sparse(value) -> SparseTensor:
    """A sparse tensor, or the value of one, as a tensor; TypeError for anything else."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def _made(parts, dims=None) -> SparseTensor:
    result = SparseTensor(*parts)
    if dims is not None:
        result.set_shape(TensorShape(dims))
    return result


def _parts(x) -> tuple:
    return x.indices, x.values, x.dense_shape


def _long(value):
    return _to_tensor(value, dtypes.int64)


# --- dense and back -------------------------------------------------------------------------------------------------


@export("sparse.from_dense")
def from_dense(tensor, name=None) -> SparseTensor:
    """Takes the nonzero entries of a tensor (nonempty ones, for strings).

    Args:
      tensor: A dense tensor.
      name: Has no effect.

    Returns:
      A `SparseTensor` of the same shape and dtype.

    >>> tf.sparse.from_dense([0, 3]).indices.numpy().tolist()
    [[1]]
    """
    tensor = convert_to_tensor(tensor)
    zero = constant(b"" if tensor.dtype is dtypes.string else 0, tensor.dtype)
    indices = arithmetic.where(arithmetic.not_equal(tensor, zero))
    values = call("GatherNd", (tensor, indices))
    return _made((indices, values, arrange.shape(tensor, out_type=dtypes.int64)), tensor.shape)


@export("sparse.to_dense")
def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """Makes a sparse tensor dense.

    Args:
      sp_input: A `SparseTensor`.
      default_value: What stands where there is no entry; by default zero, or an empty string.
      validate_indices: Whether to check that the entries are in order and none is there twice.
      name: A name for the operation.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      TypeError: `sp_input` is not sparse.
      InvalidArgumentError: An index is out of bounds, or out of order while that is checked.

    >>> tf.sparse.to_dense(tf.SparseTensor([[1]], [7], [3])).numpy().tolist()
    [0, 7, 0]
    """
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = b"" if sp_input.dtype is dtypes.string else 0
    default = convert_to_tensor(default_value, sp_input.dtype)
    result = call(
        "SparseToDense", (sp_input.indices, sp_input.dense_shape, sp_input.values, default),
        {"validate_indices": validate_indices}, name,
    )
    if state.graph is not None:
        result.set_shape(sp_input.shape)
    return result


@export("sparse.to_indicator")
def to_indicator(sp_input, vocab_size, name=None):
    """Marks the ids that each row of a sparse tensor has.

    Args:
      sp_input: A `SparseTensor` of integers, with ids along the last axis.
      vocab_size: The number of ids.
      name: A name for the operation.

    Returns:
      A bool tensor of shape `sp_input.shape[:-1] + [vocab_size]`, True at the ids.

    Raises:
      TypeError: `sp_input` is not sparse.
      InvalidArgumentError: An id is not in `[0, vocab_size)`.

    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> tf.sparse.to_indicator(ids, 3).numpy().tolist()
    [[False, False, True], [True, False, False]]
    """
    sp_input = as_sparse(sp_input)
    last = arrange.expand_dims(_long(sp_input.values), -1)
    indices = arrange.concat([sp_input.indices[:, :-1], last], 1)
    shape = arrange.concat([sp_input.dense_shape[:-1], _long([vocab_size])], 0)
    trues = creation.ones_like(sp_input.values, dtype=dtypes.bool_)
    return to_dense(reorder(_made((indices, trues, shape))), default_value=False, validate_indices=False, name=name)


# --- moving entries -------------------------------------------------------------------------------------------------


@export("sparse.reorder")
def reorder(sp_input, name=None) -> SparseTensor:
    """Puts the entries in row-major order, which most sparse ops expect.

    Args:
      sp_input: A `SparseTensor`.
      name: A name for the operation.

    Returns:
      A `SparseTensor` of the same shape and dtype.

    Raises:
      TypeError: `sp_input` is not sparse.

    >>> mixed = tf.SparseTensor([[1], [0]], ["second", "first"], [2])
    >>> tf.sparse.reorder(mixed).values.numpy().tolist()
    [b'first', b'second']
    """
    sp_input = as_sparse(sp_input)
    indices, values = call("SparseReorder", _parts(sp_input), {}, name)
    return _made((indices, values, sp_input.dense_shape), sp_input.shape)


@export("sparse.reshape")
def reshape(sp_input, shape, name=None) -> SparseTensor:
    """Gives the entries other indices, for another shape.

    Args:
      sp_input: A `SparseTensor`.
      shape: The new sizes, of which one may be -1 for what is left.
      name: A name for the operation.

    Returns:
      A `SparseTensor` of the same dtype.

    Raises:
      TypeError: `sp_input` is not sparse.
      InvalidArgumentError: The shape has another number of elements.

    >>> tf.sparse.reshape(tf.sparse.from_dense([[1, 0, 2, 0]]), [2, 2]).indices.numpy().tolist()
    [[0, 0], [1, 0]]
    """
    sp_input = as_sparse(sp_input)
    indices, new_shape = call("SparseReshape", (sp_input.indices, sp_input.dense_shape, _long(shape)), {}, name)
    wanted = arrange.get_static_value(_long(shape))
    total = sp_input.shape.num_elements()
    dims = None
    if wanted is not None:
        dims = [None if d == -1 else int(d) for d in wanted]
        if total is not None and dims.count(None) == 1:
            rest = 1
            for d in dims:
                rest *= 1 if d is None else d
            dims[dims.index(None)] = total // rest if rest else None
    return _made((indices, sp_input.values, new_shape), dims)


@export("sparse.transpose")
def transpose(sp_input, perm=None, name=None) -> SparseTensor:
    """Permutes the axes.

    Args:
      sp_input: A `SparseTensor`.
      perm: The axes in their new order; by default reversed.
      name: Has no effect.

    Returns:
      A `SparseTensor` of the same dtype.

    Raises:
      TypeError: `sp_input` is not sparse.

    >>> tf.sparse.transpose(tf.sparse.from_dense([[0, 7]])).indices.numpy().tolist()
    [[1, 0]]
    """
    sp_input = as_sparse(sp_input)
    if perm is None:
        perm = list(range(sp_input.shape.rank))[::-1]
    order = convert_to_tensor(perm, dtypes.int32)
    indices = indexing.gather(sp_input.indices, order, axis=1)
    shape = indexing.gather(sp_input.dense_shape, order)
    static = arrange.get_static_value(order)
    dims = None if static is None or sp_input.shape.rank is None else [sp_input.shape._dims[i] for i in static]
    return reorder(_made((indices, sp_input.values, shape), dims))


@export("sparse.expand_dims")
def expand_dims(sp_input, axis=None, name=None) -> SparseTensor:
    """Adds an axis of size 1.

    Args:
      sp_input: A `SparseTensor`.
      axis: The place of the new axis, negative to count from the end; by default the end.
      name: Has no effect.

    Returns:
      A `SparseTensor` of the same dtype, with one more axis.

    Raises:
      TypeError: `sp_input` is not sparse.
      ValueError: `axis` is out of range, or not known while a graph is built.

    >>> tf.sparse.expand_dims(tf.sparse.from_dense([1, 0]), 0).shape
    TensorShape([1, 2])
    """
    sp_input = as_sparse(sp_input)
    rank = sp_input.shape.rank
    axis = -1 if axis is None else arrange.get_static_value(axis) if isinstance(axis, TensorBase) else axis
    if axis is None:
        raise ValueError("expand_dims of a sparse tensor needs an axis that is known while the graph is built.")
    at = int(axis if axis >= 0 else rank + 1 + axis)
    if not 0 <= at <= rank:
        raise ValueError(f"axis must be in range [{-rank - 1}, {rank}], got {axis}.")
    zeros = (
        creation.zeros_like(sp_input.indices[:, :1])
        if rank
        else creation.zeros(arrange.stack([arrange.shape(sp_input.indices)[0], 1]), dtypes.int64)
    )
    indices = arrange.concat([sp_input.indices[:, :at], zeros, sp_input.indices[:, at:]], 1)
    shape = arrange.concat([sp_input.dense_shape[:at], _long([1]), sp_input.dense_shape[at:]], 0)
    dims = sp_input.shape._dims
    return _made((indices, sp_input.values, shape), (*dims[:at], 1, *dims[at:]))


@export("sparse.concat")
def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None) -> SparseTensor:
    """Concatenates sparse tensors along an axis.

    Args:
      axis: The axis, negative to count from the end.
      sp_inputs: A list of `SparseTensor`s of one dtype and rank.
      expand_nonconcat_dims: Whether other axes may differ, and get the greatest size.
      name: A name for the operation.

    Returns:
      A `SparseTensor` of the same dtype and rank.

    Raises:
      TypeError: An input is not sparse.
      InvalidArgumentError: Other axes have different sizes.

    >>> a = tf.sparse.from_dense([[1, 0]])
    >>> tf.sparse.to_dense(tf.sparse.concat(1, [a, a])).numpy().tolist()
    [[1, 0, 1, 0]]
    """
    inputs = [as_sparse(x) for x in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [x.dense_shape for x in inputs]
    rank = inputs[0].shape.rank
    if expand_nonconcat_dims:
        at = axis % rank
        largest = reduce.reduce_max(arrange.stack(shapes), 0)
        shapes = [arrange.concat([largest[:at], s[at : at + 1], largest[at + 1 :]], 0) for s in shapes]
    flat = [*(x.indices for x in inputs), *(x.values for x in inputs), *shapes]
    parts = call("SparseConcat", flat, {"concat_dim": axis, "N": len(inputs)}, name)
    dims = None
    if rank is not None and not expand_nonconcat_dims:
        at = axis % rank
        along = [x.shape[at] for x in inputs]
        dims = [
            None
            if None in along
            else sum(along)
            if i == at
            else next((x.shape[i] for x in inputs if x.shape[i] is not None), None)
            for i in range(rank)
        ]
        dims[at] = None if None in along else sum(along)
    return _made(parts, dims)



@export("sparse.slice")
def slice_(sp_input, start, size, name=None) -> SparseTensor:
    """Takes the entries in a box, with indices relative to its corner.

    Args:
      sp_input: A `SparseTensor`.
      start: The corner, an index for each axis.
      size: The size of the box along each axis; it is cut off at the end of the tensor.
      name: A name for the operation.

    Returns:
      A `SparseTensor` of the same dtype and rank.

    Raises:
      TypeError: `sp_input` is not sparse.

    >>> below = tf.sparse.slice(tf.sparse.from_dense([[1, 0], [0, 2]]), [1, 0], [1, 2])
    >>> tf.sparse.to_dense(below).numpy().tolist()
    [[0, 2]]
    """
    sp_input = as_sparse(sp_input)
    return _made(call("SparseSlice", (*_parts(sp_input), _long(start), _long(size)), {}, name))


@export("sparse.split")
def split(sp_input=None, num_split=None, axis=None, name=None) -> list:
    """Splits a sparse tensor into parts along an axis.

    Args:
      sp_input: A `SparseTensor`.
      num_split: The number of parts; the first ones are one larger where it does not divide the size.
      axis: The axis.
      name: A name for the operation.

    Returns:
      A list of `num_split` `SparseTensor`s.

    Raises:
      TypeError: `sp_input` is not sparse.
      InvalidArgumentError: There are more parts than the axis has elements.

    >>> first, second = tf.sparse.split(tf.sparse.from_dense([[1, 0, 0, 2]]), 2, axis=1)
    >>> tf.sparse.to_dense(second).numpy().tolist()
    [[0, 2]]
    """
    sp_input = as_sparse(sp_input)
    parts = call("SparseSplit", (_long(axis), *_parts(sp_input)), {"num_split": num_split}, name)
    return [SparseTensor(*parts[i::num_split]) for i in range(num_split)]


@export("sparse.retain")
def retain(sp_input, to_retain) -> SparseTensor:
    """Keeps some of the entries.

    Args:
      sp_input: A `SparseTensor`.
      to_retain: A bool vector, True for the entries to keep.

    Returns:
      A `SparseTensor` of the same shape and dtype.

    Raises:
      TypeError: `sp_input` is not sparse.
      ValueError: `to_retain` has not as many elements as there are entries.

    >>> tf.sparse.retain(tf.sparse.from_dense([5, 7]), [False, True]).values.numpy().tolist()
    [7]
    """
    sp_input, to_retain = as_sparse(sp_input), convert_to_tensor(to_retain)
    entries, kept = sp_input.values.shape[0], to_retain.shape.with_rank(1)[0]
    if None not in (entries, kept) and entries != kept:
        raise ValueError(f"Dimensions {entries} and {kept} are not compatible")
    where = arrange.reshape(arithmetic.where(to_retain), [-1])
    return _made(
        (indexing.gather(sp_input.indices, where), indexing.gather(sp_input.values, where), sp_input.dense_shape),
        sp_input.shape,
    )


@export("sparse.reset_shape")
def reset_shape(sp_input, new_shape=None) -> SparseTensor:
    """Puts the entries in a larger shape, or in the smallest that contains them.

    Args:
      sp_input: A `SparseTensor`.
      new_shape: The new sizes, at least the old ones; None for the smallest that contain the entries.

    Returns:
      A `SparseTensor` of the same dtype and rank.

    Raises:
      TypeError: `sp_input` is not sparse.
      ValueError: A new size is less than the old one, or their numbers differ.

    >>> tf.sparse.reset_shape(tf.sparse.from_dense([[1, 0], [0, 0]])).shape
    TensorShape([1, 1])
    """
    sp_input = as_sparse(sp_input)
    if new_shape is None:
        shape = reduce.reduce_max(sp_input.indices, 0) + 1
        return _made((sp_input.indices, sp_input.values, arithmetic.maximum(shape, 0)))
    new_shape = _long(new_shape)
    old, new = (arrange.static_shape(s) or () for s in (sp_input.dense_shape, new_shape))
    if len(old) == len(new) and any(n < o for o, n in zip(old, new) if None not in (o, n)):
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  "
            f"Found new_shape ({np.array(old)}), sp_input.shape ({np.array(new)})."
        )
    return _made((sp_input.indices, sp_input.values, new_shape))


@export("sparse.fill_empty_rows")
def fill_empty_rows(sp_input, default_value, name=None):
    """Gives each row without entries one, in the first column.

    Args:
      sp_input: A `SparseTensor`.
      default_value: The value of new entries.
      name: A name for the operation.

    Returns:
      A `SparseTensor` of the same shape and dtype, and a bool vector that tells which rows were empty.

    Raises:
      TypeError: `sp_input` is not sparse.

    >>> filled, was_empty = tf.sparse.fill_empty_rows(tf.sparse.from_dense([[1, 0], [0, 0]]), 9)
    >>> filled.values.numpy().tolist(), was_empty.numpy().tolist()
    ([1, 9], [False, True])
    """
    sp_input = as_sparse(sp_input)
    default = convert_to_tensor(default_value, sp_input.dtype)
    indices, values, empty, _ = call("SparseFillEmptyRows", (*_parts(sp_input), default), {}, name)
    return _made((indices, values, sp_input.dense_shape), sp_input.shape), empty


@export("sparse.eye")
def eye(num_rows, num_columns=None, dtype: Any = dtypes.float32, name=None) -> SparseTensor:
    """Creates a sparse matrix with ones on the diagonal.

    Args:
      num_rows: The number of rows.
      num_columns: The number of columns; by default that of rows.
      dtype: The dtype of the ones.
      name: Has no effect.

    Returns:
      A `SparseTensor` of `dtype`.

    >>> tf.sparse.to_dense(tf.sparse.eye(2)).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    n = arithmetic.minimum(_long(num_rows), _long(columns))
    diagonal = creation.range(n, dtype=dtypes.int64)
    values = creation.ones(arrange.reshape(n, [1]), dtype)
    return _made((arrange.stack([diagonal, diagonal], 1), values, arrange.stack([_long(num_rows), _long(columns)])))


@export("compat.v1.sparse_placeholder", "compat.v1.sparse.placeholder")
def sparse_placeholder(dtype, shape=None, name=None) -> SparseTensor:
    """Creates a sparse input of the graph under construction.

    Args:
      dtype: The dtype of its values.
      shape: Its shape, as far as it is known; None for any.
      name: A name for the operation.

    Returns:
      A `SparseTensor` that must be fed a value.

    Raises:
      RuntimeError: In eager code.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.sparse_placeholder(tf.float32, shape=[4])
    ...     total = tf.sparse.reduce_sum(x)
    ...     session.run(total, {x: tf.compat.v1.SparseTensorValue([[0], [3]], [1.0, 2.0], [4])}).item()
    3.0
    """
    if state.graph is None:
        raise RuntimeError("`sparse_placeholder` is not compatible with eager execution.")
    placeholder = core_names.placeholder
    default = shape if isinstance(shape, TensorBase) else None  # its values can be fed
    if default is not None:
        known = arrange.get_static_value(default)
        shape = [None] * int(default.shape[0]) if known is None else [int(size) for size in known]
    dims = dims_of(shape)
    rank = None if dims is None else len(dims)
    label = "" if name is None else name + "/"
    if default is not None:
        dense_shape = call(
            "PlaceholderWithDefault", (default,), {"shape": default.shape.as_list()}, label + "shape" if label else None
        )
    elif dims is not None and None not in dims:
        dense_shape = constant(list(dims), dtypes.int64)
    else:
        dense_shape = placeholder(dtypes.int64, [rank], name=label + "shape" if label else None)
    result = SparseTensor(
        placeholder(dtypes.int64, [None, rank], name=label + "indices" if label else None),
        placeholder(dtype, [None], name=label + "values" if label else None),
        dense_shape,
    )
    if dims is not None:
        result.set_shape(dims)
    return result
