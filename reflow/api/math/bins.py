"""Counts of numbers: `tf.math.bincount`, a dense tensor of counts, and `tf.sparse.bincount`, a sparse one.

The numbers may be dense, sparse or ragged; weights must be of the same kind, at the same positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange
from reflow.api.call import call, checked_call
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_max
from reflow.api.sparse import tensors
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor, from_array


@export("math.bincount")
def bincount(
    arr, weights=None, minlength=None, maxlength=None, dtype: Any = dtypes.int32, name=None, axis=None,
    binary_output=False,
):
    """Counts the occurrences of each number, or sums their weights.

    Args:
      arr: A tensor, sparse tensor or ragged tensor of non-negative integers; floats are truncated.
      weights: What each number adds to its bin instead of 1: a tensor of the kind and shape of `arr`.
      minlength: The least number of bins.
      maxlength: The greatest number of bins; greater numbers are not counted.
      dtype: The dtype of the counts; weights keep their own.
      name: A name for the operation.
      axis: None or 0 to count all numbers together; -1 for each row of a matrix.
      binary_output: Whether to say 1 for every number that occurs, instead of counting.

    Returns:
      A vector of as many bins as the greatest number plus 1, within the limits; for `axis=-1` a matrix with a row of
      bins for each row. Of dtype `dtype`, or that of `weights`.

    Raises:
      ValueError: There is another `axis`, or both `weights` and `binary_output`; or weights of another kind.
      InvalidArgumentError: A number is negative, or weights are at other positions.

    >>> tf.math.bincount([1, 1, 2]).numpy().tolist()
    [0, 2, 1]
    """
    _check_mode(weights, axis, binary_output)
    if isinstance(arr, RaggedTensor):
        if axis == -1:
            found = tensors.to_dense(sparse_bincount(arr, weights, -1, minlength, maxlength, binary_output))
            return m.cast(found, dtype) if weights is None else found
        arr, weights = arr.flat_values, None if weights is None else validate_ragged_weights(arr, weights)
    if isinstance(arr, SparseTensor):
        weights = validate_sparse_weights(arr, weights, dtype)
        if axis == -1:
            size = _bins(arr.values, minlength, maxlength)
            return call("SparseBincount", (*_parts(arr), size, weights), {"binary_output": bool(binary_output)}, name)
        arr = arr.values
    x = convert_to_tensor(arr)
    if not x._dtype.is_integer:
        x = m.cast(x, dtypes.int32)
    size = _bins(x, minlength, maxlength)
    weights = (
        from_array(np.zeros(0, dtypes.as_dtype(dtype).np_dtype)) if weights is None else convert_to_tensor(weights)
    )
    if axis in (None, 0):
        x, weights = _flat(x), _flat(weights)
    if x._dtype not in (dtypes.int32, dtypes.int64):
        x, size = m.cast(x, dtypes.int32), m.cast(size, dtypes.int32)
    return call("DenseBincount", (x, size, weights), {"binary_output": bool(binary_output)}, name)


@export("sparse.bincount")
def sparse_bincount(
    values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None
) -> SparseTensor:
    """Counts the occurrences of each number, in all of `values` or in each row, as a sparse tensor.

    Args:
      values: A tensor, sparse tensor or ragged tensor of non-negative integers.
      weights: What each number adds to its count instead of 1: a tensor of the kind and shape of `values`.
      axis: None or 0 to count all numbers together; -1 for each row.
      minlength: The least number of bins.
      maxlength: The greatest number of bins; greater numbers are not counted.
      binary_output: Whether to say 1 for every number that occurs, instead of counting.
      name: A name for the operation.

    Returns:
      A `tf.SparseTensor` with a count for each number that occurs, of shape `[bins]` or `[rows, bins]`; of the dtype of
      `weights`, or of `values`.

    Raises:
      ValueError: There is another `axis`, or both `weights` and `binary_output`; or weights of another kind.

    >>> tf.sparse.to_dense(tf.sparse.bincount([[1, 1], [2, 0]], axis=-1)).numpy().tolist()
    [[0, 2, 0], [1, 0, 1]]
    """
    _check_mode(weights, axis, binary_output)
    values, weights = _as_dense_or_sparse(values, weights)
    attrs = {"binary_output": bool(binary_output), "minlength": _limit(minlength), "maxlength": _limit(maxlength)}
    if axis in (None, 0):
        values, weights = _flat(values.values if isinstance(values, SparseTensor) else values), _flat(weights)
    if isinstance(values, SparseTensor):
        return SparseTensor(*checked_call("SparseCountSparseOutput", (*_parts(values), weights), attrs, name))
    return SparseTensor(*checked_call("DenseCountSparseOutput", (values, weights), attrs, name))


def _check_mode(weights: Any, axis: Any, binary_output: Any) -> None:
    if weights is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")


def _as_dense_or_sparse(values: Any, weights: Any) -> tuple[Any, Any]:
    """The numbers as a dense or sparse tensor, and the operand of the ops that has their weights."""
    if isinstance(values, RaggedTensor):
        return values.to_sparse(), validate_ragged_weights(values, weights)
    if isinstance(values, SparseTensor):
        weights = weights if weights is None or isinstance(weights, SparseTensor) else convert_to_tensor(weights)
        return values, validate_sparse_weights(values, weights)
    values = convert_to_tensor(values)
    weights = weights if weights is None or isinstance(weights, SparseTensor) else convert_to_tensor(weights)
    return values, validate_dense_weights(values, weights)


def _parts(x: SparseTensor) -> tuple[Any, Any, Any]:
    return x.indices, x.values, x.dense_shape


def _flat(x: Any) -> Any:
    return call("Reshape", (x, constant([-1])))


def _limit(value: Any) -> int:
    """A limit as the attribute of an op: -1 for none."""
    return -1 if value is None else int(arrange.get_static_value(convert_to_tensor(value)))


def _bins(x: Any, minlength: Any, maxlength: Any) -> Any:
    """The number of bins: one more than the greatest number, within the limits."""
    some = m.cast(m.greater(call("Size", (x,)), 0), x._dtype)
    zero = from_array(np.zeros(1, x._dtype.np_dtype))
    safe = call("ConcatV2", (_flat(x), zero, constant(0)), {"N": 2})
    size = m.multiply(some, m.add(reduce_max(safe), 1))
    if minlength is not None:
        size = m.maximum(m.cast(convert_to_tensor(minlength), x._dtype), size)
    if maxlength is not None:
        size = m.minimum(m.cast(convert_to_tensor(maxlength), x._dtype), size)
    return size


# --- weights --------------------------------------------------------------------------------------------------------


def _other_kind(kind: str, weights: Any) -> ValueError:
    return ValueError(
        f"Argument `weights` must be a {kind} if `values` is a {kind}. Received weights={weights} of type: "
        f"{type(weights).__name__}"
    )


@export("__internal__.bincount.validate_dense_weights")
def validate_dense_weights(values: Any, weights: Any, dtype: Any = None) -> Any:
    """Validated weights, which must be a tensor; an empty one if there are no weights."""
    if weights is None:
        return constant([], dtype or values.dtype)
    if not isinstance(weights, Tensor):
        raise _other_kind("tf.Tensor", weights)
    return weights


def validate_sparse_weights(values: SparseTensor, weights: Any, dtype: Any = None) -> Any:
    """The values of sparse weights, checked to be at the positions of the input values.

    Empty if there are no weights.
    """
    if weights is None:
        return constant([], dtype or values.values.dtype)
    if not isinstance(weights, SparseTensor):
        raise _other_kind("SparseTensor", weights)
    return _behind(weights.values, {
        "dense shape": (weights.dense_shape, values.dense_shape), "indices": (weights.indices, values.indices)
    })  # fmt: skip


def validate_ragged_weights(values: RaggedTensor, weights: Any, dtype: Any = None) -> Any:
    """The values of ragged weights, checked to have the rows of the input values; empty if there are no weights."""
    if weights is None:
        return constant([], dtype or values.values.dtype)
    if not isinstance(weights, RaggedTensor):
        raise ValueError(
            "`weights` must be a RaggedTensor if `values` is a RaggedTensor. "
            f"Received argument weights={weights} of type: {type(weights).__name__}."
        )
    return _behind(weights.flat_values, {"row splits": (weights.row_splits, values.row_splits)})


def _behind(numbers: Any, places: dict[str, tuple[Any, Any]]) -> Any:
    """The values of weights, after assertions that they are at the positions of the input values."""
    checks = [
        asserts.assert_equal(own, wanted, message=f"'weights' and 'values' must have the same {what}.")
        for what, (own, wanted) in places.items()
        if own is not wanted
    ]
    with control_dependencies(checks):
        return arrange.identity(numbers) if checks else numbers
