"""`tf.sparse`: arithmetic and reductions of sparse tensors, and the operators of `tf.SparseTensor`."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.call import call, tensor_or
from reflow.api.debugging import asserts
from reflow.api.export import export, with_sections
from reflow.api.framework import core_names
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.sparse.tensors import _made, _parts, _to_tensor, as_sparse
from reflow.core import dtypes
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.sparse import SparseTensor, SparseTensorValue
from reflow.ops.convert import constant, convert_to_tensor


@export("sparse.add")
def add(a, b, threshold: Any = 0):
    """Adds two tensors of which at least one is sparse.

    Args:
      a: A `SparseTensor` or a tensor.
      b: A `SparseTensor` or a tensor of the same shape and dtype.
      threshold: Entries of a sparse result that are smaller in absolute value are dropped; of no effect for a dense
        one.

    Returns:
      A `SparseTensor` if both are sparse, else a tensor.

    Raises:
      TypeError: Neither is sparse.
      InvalidArgumentError: The shapes differ.

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


_ELEMENTWISE = """\
Args:
  sp_a: A `SparseTensor`.
  sp_b: A `SparseTensor` of the same shape and dtype.
  name: A name for the operation.

Returns:
  A `SparseTensor` with an entry where either has one.

Raises:
  TypeError: One is not sparse.
  InvalidArgumentError: The shapes differ.
"""


@export("sparse.maximum")
@with_sections(_ELEMENTWISE)
def maximum(sp_a, sp_b, name=None) -> SparseTensor:
    """Takes the larger of two sparse tensors, entry by entry; a missing entry is zero.

    >>> a, b = tf.sparse.from_dense([1, 0]), tf.sparse.from_dense([0, 2])
    >>> tf.sparse.to_dense(tf.sparse.maximum(a, b)).numpy().tolist()
    [1, 2]
    """
    return _union("SparseSparseMaximum", sp_a, sp_b, name)


@export("sparse.minimum")
@with_sections(_ELEMENTWISE)
def minimum(sp_a, sp_b, name=None) -> SparseTensor:
    """Takes the smaller of two sparse tensors, entry by entry; a missing entry is zero.

    >>> tf.sparse.minimum(tf.sparse.from_dense([1, 3]), tf.sparse.from_dense([0, 2])).values.numpy().tolist()
    [0, 2]
    """
    return _union("SparseSparseMinimum", sp_a, sp_b, name)


@export("sparse.sparse_dense_matmul")
def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """Multiplies a sparse and a dense matrix, in either order.

    Args:
      sp_a: The left matrix, a `SparseTensor` unless `b` is one.
      b: The right matrix, of the same dtype.
      adjoint_a: Whether the left matrix is transposed and conjugated first.
      adjoint_b: Whether the right matrix is transposed and conjugated first.
      name: A name for the operation, if the left matrix is the sparse one.

    Returns:
      A dense matrix of the same dtype.

    Raises:
      TypeError: Neither is sparse.
      InvalidArgumentError: The shapes do not fit.

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
    """Computes the softmax over the last axis, of the entries alone.

    Args:
      sp_input: A `SparseTensor` of floats.
      name: A name for the operation.

    Returns:
      A `SparseTensor` with the same indices.

    Raises:
      TypeError: `sp_input` is not sparse.

    >>> tf.sparse.softmax(tf.sparse.from_dense([[1.0, 0.0, 1.0]])).values.numpy().tolist()
    [0.5, 0.5]
    """
    sp_input = as_sparse(sp_input)
    return sp_input.with_values(call("SparseSoftmax", _parts(sp_input), {}, name))


@export("sparse.mask")
def mask(a, mask_indices, name=None) -> IndexedSlices:
    """Drops slices with certain indices.

    Args:
      a: `tf.IndexedSlices`.
      mask_indices: The indices to drop, a vector.
      name: A name for the operation.

    Returns:
      `tf.IndexedSlices` with the others.

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
def sampled_addmm(
    indices, values, dense_shape, mat1, mat2, beta: Any = 1.0, alpha: Any = 1.0, output_type: Any = dtypes.float32
):
    """Computes `alpha * (mat1 @ mat2) + beta * values` at some places of the product only.

    Args:
      indices: The places, [count, 2], with batch axes in front if the matrices have some.
      values: The existing values at these places, [count].
      dense_shape: The shape of each product.
      mat1: The left matrix, or a batch of matrices.
      mat2: The right matrix, or a batch of matrices.
      beta: The factor of the existing values.
      alpha: The factor of the product.
      output_type: The dtype to compute in, and of the result.

    Returns:
      (indices, values, dense_shape) of the result.

    >>> found = tf.sparse.sampled_addmm(
    ...     [[0, 0], [1, 1]], [1.0, 2.0], [2, 2], tf.ones([2, 3]), tf.ones([3, 2]), beta=2.0
    ... )
    >>> found[1].numpy().tolist()
    [5.0, 7.0]
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
    """Applies `op` to the values of sparse arguments, which must have the same indices.

    Args:
      op: A function that keeps the number of values.
      *args: Its arguments; `SparseTensor`s among them are replaced by their values.
      **kwargs: Its arguments by name, treated alike.

    Returns:
      A `SparseTensor` with the indices of the arguments and the values that `op` returns.

    Raises:
      ValueError: No argument is sparse.
      InvalidArgumentError: Shapes or indices differ.

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


def _quotient(self, other):
    values, other = arithmetic.float_operands(self.values, other, "__truediv__")
    return _divided(self.with_values(values), other)


def _negated(self):
    return map_values(unary.negative, self)


for _name, _function in {
    "mul": _times, "rmul": _times, "truediv": _quotient, "div": _divided, "neg": _negated
}.items():
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


_REDUCTION = """\
Args:
  sp_input: A `SparseTensor`.
  axis: The axis or axes to reduce; by default all.
  keepdims: Whether reduced axes stay, with size 1; they do not by default.
  output_is_sparse: Whether the result is sparse.
  name: A name for the operation.

Returns:
  A tensor of the same dtype, or a `SparseTensor`.

Raises:
  TypeError: `sp_input` is not sparse.
"""


@export("sparse.reduce_sum")
@with_sections(_REDUCTION)
def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """Sums the entries of a sparse tensor over axes.

    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 0], [2, 3]]), axis=0).numpy().tolist()
    [3, 3]
    """
    return _reduce("SparseReduceSum", sp_input, axis, keepdims, output_is_sparse, name)


@export("sparse.reduce_max")
@with_sections(_REDUCTION)
def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """Takes the largest entries of a sparse tensor over axes; 0 where there is none.

    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[1, 5], [0, 2]]), 1).numpy().tolist()
    [5, 2]
    """
    return _reduce("SparseReduceMax", sp_input, axis, keepdims, output_is_sparse, name)
