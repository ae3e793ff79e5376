"""`tf.SparseTensor` and `tf.sparse`."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.call import call, tensor_or
from reflow.api.debugging import asserts
from reflow.api.export import export, export_value
from reflow.api.framework import core_names
from reflow.api.math import arithmetic, reduce, unary
from reflow.core import dtypes, sparse
from reflow.core.context import state
from reflow.core.indexed_slices import IndexedSlices
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
        raise TypeError(f"Input must be a SparseTensor. Received: {value!r}")
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
    """The nonzero entries of a tensor (nonempty ones, for strings).

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
    """The dense tensor, with `default_value` (zero) at positions without an entry.

    >>> tf.sparse.to_dense(tf.SparseTensor([[1]], [7], [3])).numpy().tolist()
    [0, 7, 0]
    """
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = b"" if sp_input.dtype is dtypes.string else 0
    default = convert_to_tensor(default_value, sp_input.dtype)
    result = call(
        "SparseToDense",
        (sp_input.indices, sp_input.dense_shape, sp_input.values, default),
        {"validate_indices": validate_indices},
        name,
    )
    if state.graph is not None:
        result.set_shape(sp_input.shape)
    return result


@export("sparse.to_indicator")
def to_indicator(sp_input, vocab_size, name=None):
    """A boolean tensor that is True at the values, which are ids below `vocab_size`.

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


# --- arithmetic -----------------------------------------------------------------------------------------------------


@export("sparse.add")
def add(a, b, threshold=0):
    """The sum of two tensors of which one or both are sparse; sparse if both are. Entries below `threshold` are dropped.

    >>> x = tf.sparse.from_dense([1, 0])
    >>> tf.sparse.to_dense(tf.sparse.add(x, x)).numpy().tolist()
    [2, 0]
    """
    kinds = (SparseTensor, SparseTensorValue)
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if isinstance(a, kinds) and isinstance(b, kinds):
        a, b = as_sparse(a), as_sparse(b)
        limit = convert_to_tensor(threshold, a.dtype.real_dtype)
        dims = a.shape._dims if a.shape.is_fully_defined() else b.shape._dims
        return _made(call("SparseAdd", (*_parts(a), *_parts(b), limit)), dims)
    if isinstance(b, kinds):
        a, b = b, a
    a = as_sparse(a)
    return call("SparseTensorDenseAdd", (*_parts(a), convert_to_tensor(b, a.dtype)))


def _union(op_name, sp_a, sp_b, name):
    sp_a, sp_b = as_sparse(sp_a), as_sparse(sp_b)
    indices, values = call(op_name, (*_parts(sp_a), *_parts(sp_b)), {}, name)
    return _made((indices, values, sp_a.dense_shape), sp_a.shape)


@export("sparse.maximum")
def maximum(sp_a, sp_b, name=None) -> SparseTensor:
    """The larger of two sparse tensors, entry by entry; a missing entry is zero.

    >>> a, b = tf.sparse.from_dense([1, 0]), tf.sparse.from_dense([0, 2])
    >>> tf.sparse.to_dense(tf.sparse.maximum(a, b)).numpy().tolist()
    [1, 2]
    """
    return _union("SparseSparseMaximum", sp_a, sp_b, name)


@export("sparse.minimum")
def minimum(sp_a, sp_b, name=None) -> SparseTensor:
    """The smaller of two sparse tensors, entry by entry; a missing entry is zero.

    >>> tf.sparse.minimum(tf.sparse.from_dense([1, 3]), tf.sparse.from_dense([0, 2])).values.numpy().tolist()
    [0, 2]
    """
    return _union("SparseSparseMinimum", sp_a, sp_b, name)


@export("sparse.sparse_dense_matmul")
def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """The product of a sparse and a dense matrix, in either order.

    >>> tf.sparse.sparse_dense_matmul(tf.sparse.from_dense([[0., 2.]]), [[1.], [3.]]).numpy().tolist()
    [[6.0]]
    """
    if isinstance(b, (SparseTensor, SparseTensorValue)):
        flipped = sparse_dense_matmul(b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a)
        return arrange.transpose(flipped)
    sp_a = as_sparse(sp_a)
    attrs = {"adjoint_a": bool(adjoint_a), "adjoint_b": bool(adjoint_b)}
    return call("SparseTensorDenseMatMul", (*_parts(sp_a), tensor_or(b, sp_a.dtype)), attrs, name)


@export("sparse.softmax")
def softmax(sp_input, name=None) -> SparseTensor:
    """Softmax over the last axis, of the stored entries.

    >>> tf.sparse.softmax(tf.sparse.from_dense([[1.0, 0.0, 1.0]])).values.numpy().tolist()
    [0.5, 0.5]
    """
    sp_input = as_sparse(sp_input)
    return sp_input.with_values(call("SparseSoftmax", _parts(sp_input), {}, name))


@export("sparse.mask")
def mask(a, mask_indices, name=None) -> IndexedSlices:
    """The slices of `a` whose indices are not among `mask_indices`.

    >>> slices = tf.IndexedSlices([[1.0], [2.0], [3.0]], [4, 7, 9])
    >>> tf.sparse.mask(slices, [7]).indices.numpy().tolist()
    [4, 9]
    """
    kept, places = _without(convert_to_tensor(a.indices), mask_indices)
    return IndexedSlices(indexing.gather(a.values, places, name=name), kept, a.dense_shape)


def _without(values, others):
    """The elements of a vector that are not among `others`, and where they stand."""
    others = convert_to_tensor(others, values.dtype)
    return call("ListDiff", (values, others), {"out_idx": dtypes.int32})


def _turned(matrices):
    """Matrices with their last two axes exchanged."""
    rank = matrices.shape.rank
    return arrange.transpose(matrices, [*range(rank - 2), rank - 1, rank - 2])


@export("sparse.sampled_addmm")
def sampled_addmm(indices, values, dense_shape, mat1, mat2, beta=1.0, alpha=1.0, output_type=dtypes.float32):
    """`alpha * (mat1 @ mat2) + beta * values` at some positions of the product; the others are not computed.

    >>> found = tf.sparse.sampled_addmm([[0, 0], [1, 1]], [1.0, 2.0], [2, 2], tf.ones([2, 3]), tf.ones([3, 2]), beta=2.0)
    >>> found[1].numpy().tolist()
    [5.0, 7.0]

    Args:
      indices: the places, [count, 2], with batch axes in front if the matrices have some.
      values: the existing values.
      dense_shape: the shape of each product.

    Returns:
      (indices, values, dense_shape) of the result.
    """
    indices = convert_to_tensor(indices, dtype_hint=dtypes.int32)
    kind = dtypes.as_dtype(output_type)
    values, mat1, mat2 = (arithmetic.cast(convert_to_tensor(x), kind) for x in (values, mat1, mat2))
    dense_shape = convert_to_tensor(dense_shape, dtype_hint=dtypes.int32)
    batch = indices.shape.rank - 2
    rows = indexing.gather(mat1, indices[..., 0], axis=batch, batch_dims=batch)
    columns = indexing.gather(_turned(mat2), indices[..., 1], axis=batch, batch_dims=batch)
    product = reduce.reduce_sum(rows * columns, -1)
    return indices, product * constant(alpha, kind) + values * constant(beta, kind), dense_shape


@export("sparse.map_values")
def map_values(op, *args, **kwargs) -> SparseTensor:
    """Apply `op` to the values of sparse arguments, which must have the same entries.

    >>> tf.sparse.map_values(tf.negative, tf.sparse.from_dense([0, 3])).values.numpy().tolist()
    [-3]
    """
    inputs = [x for x in (*args, *kwargs.values()) if isinstance(x, SparseTensor)]
    if not inputs:
        raise ValueError("No SparseTensor in argument list of map_values")

    first = inputs[0]
    same = []
    for other in inputs[1:]:
        if other.indices is not first.indices or other.dense_shape is not first.dense_shape:
            same += [
                asserts.assert_equal(first.dense_shape, other.dense_shape, "Mismatched shapes!"),
                asserts.assert_equal(first.indices, other.indices, "Mismatched indices!"),
            ]

    def bare(x):
        return x.values if isinstance(x, SparseTensor) else x

    with core_names.control_dependencies([check for check in same if check is not None]):
        return first.with_values(op(*map(bare, args), **{k: bare(v) for k, v in kwargs.items()}))


def _times(self, other):
    if isinstance(other, SparseTensor):
        raise TypeError("Expected a dense right operand, got a SparseTensor.")
    return self.with_values(call("SparseDenseCwiseMul", (*_parts(self), convert_to_tensor(other, self.dtype))))


def _divided(self, other):
    return self.with_values(call("SparseDenseCwiseDiv", (*_parts(self), convert_to_tensor(other, self.dtype))))


def _negated(self):
    return map_values(unary.negative, self)


for _name, _function in {"mul": _times, "rmul": _times, "truediv": _divided, "div": _divided, "neg": _negated}.items():
    setattr(SparseTensor, f"__{_name}__", _function)


# --- reductions -----------------------------------------------------------------------------------------------------


def _reduce(op_name, sp_input, axis, keepdims, output_is_sparse, name):
    sp_input = as_sparse(sp_input)
    if axis is None:
        axis = creation.range(arrange.size(sp_input.dense_shape))
    axes = _to_tensor(axis, dtypes.int32)
    attrs = {"keep_dims": bool(keepdims)}
    if output_is_sparse:
        return _made(call(op_name + "Sparse", (*_parts(sp_input), axes), attrs, name))
    return call(op_name, (*_parts(sp_input), axes), attrs, name)


@export("sparse.reduce_sum")
def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """Sums over axes of a sparse tensor.

    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 0], [2, 3]]), axis=0).numpy().tolist()
    [3, 3]
    """
    return _reduce("SparseReduceSum", sp_input, axis, keepdims, output_is_sparse, name)


@export("sparse.reduce_max")
def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The largest entries over axes of a sparse tensor; 0 where there is none.

    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[1, 5], [0, 2]]), 1).numpy().tolist()
    [5, 2]
    """
    return _reduce("SparseReduceMax", sp_input, axis, keepdims, output_is_sparse, name)


# --- moving entries -------------------------------------------------------------------------------------------------


@export("sparse.reorder")
def reorder(sp_input, name=None) -> SparseTensor:
    """The entries in row-major order, which most sparse ops expect.

    >>> mixed = tf.SparseTensor([[1], [0]], ["second", "first"], [2])
    >>> tf.sparse.reorder(mixed).values.numpy().tolist()
    [b'first', b'second']
    """
    sp_input = as_sparse(sp_input)
    indices, values = call("SparseReorder", _parts(sp_input), {}, name)
    return _made((indices, values, sp_input.dense_shape), sp_input.shape)


@export("sparse.reshape")
def reshape(sp_input, shape, name=None) -> SparseTensor:
    """The same entries in another shape.

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
    """Permute the axes.

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
    """A new axis of length 1 at `axis` (the end by default).

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
    """Concatenate sparse tensors along `axis`.

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
    """The entries in a box, with indices relative to its corner.

    >>> below = tf.sparse.slice(tf.sparse.from_dense([[1, 0], [0, 2]]), [1, 0], [1, 2])
    >>> tf.sparse.to_dense(below).numpy().tolist()
    [[0, 2]]
    """
    sp_input = as_sparse(sp_input)
    return _made(call("SparseSlice", (*_parts(sp_input), _long(start), _long(size)), {}, name))


@export("sparse.split")
def split(sp_input=None, num_split=None, axis=None, name=None) -> list:
    """A sparse tensor split into `num_split` parts along `axis`.

    >>> first, second = tf.sparse.split(tf.sparse.from_dense([[1, 0, 0, 2]]), 2, axis=1)
    >>> tf.sparse.to_dense(second).numpy().tolist()
    [[0, 2]]
    """
    sp_input = as_sparse(sp_input)
    parts = call("SparseSplit", (_long(axis), *_parts(sp_input)), {"num_split": num_split}, name)
    return [SparseTensor(*parts[i::num_split]) for i in range(num_split)]


@export("sparse.retain")
def retain(sp_input, to_retain) -> SparseTensor:
    """The entries for which `to_retain` is True.

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
    """The same entries in a larger shape; by default in the smallest that contains them.

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
    """Rows without entries get one, `default_value` in the first column; also returns which rows those were.

    >>> filled, was_empty = tf.sparse.fill_empty_rows(tf.sparse.from_dense([[1, 0], [0, 0]]), 9)
    >>> filled.values.numpy().tolist(), was_empty.numpy().tolist()
    ([1, 9], [False, True])
    """
    sp_input = as_sparse(sp_input)
    default = convert_to_tensor(default_value, sp_input.dtype)
    indices, values, empty, _ = call("SparseFillEmptyRows", (*_parts(sp_input), default), {}, name)
    return _made((indices, values, sp_input.dense_shape), sp_input.shape), empty


@export("sparse.eye")
def eye(num_rows, num_columns=None, dtype=dtypes.float32, name=None) -> SparseTensor:
    """Ones on the diagonal.

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
    """A sparse input of the graph under construction (not in eager code).

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
        dense_shape = call("PlaceholderWithDefault", (default,), {"shape": default.shape.as_list()}, label + "shape" if label else None)
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
