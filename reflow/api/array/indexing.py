"""Indexing: `tensor[...]`, slices, gathers, scatters and masks."""

from __future__ import annotations

import numpy as np

from reflow.api.array.arrange import broadcast_to, concat, get_static_value, reshape, shape, shape_operand, stack
from reflow.api.call import call
from reflow.api.export import export, export_function, export_value
from reflow.api.scoped import scoped
from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.shapes import Dimension, TensorShape
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.ops import convert, registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch, host_array
from reflow.ops.from_python import short_name
from reflow.ops.xp.tensor import reduce_all_axes

_slice = slice
_PLAIN = frozenset([int, type(None)])
newaxis = export_value(None, "newaxis", "compat.v1.newaxis")

# --- tensor[key] ------------------------------------------------------------------------------------------------------


@export("__operators__.getitem")
def getitem(tensor, slice_spec, var=None):
    """`tensor[slice_spec]`: one StridedSlice, as TensorFlow builds it; a boolean mask becomes `tf.boolean_mask`. Arrays
    of indices choose elements as in NumPy, which TensorFlow refuses. If the tensor is the value of the variable `var`,
    the result has a method `assign` that writes into the variable.

    >>> x = tf.reshape(tf.range(6), [2, 3])
    >>> x[1, ::-1].numpy().tolist(), x[:, [2, 0]].numpy().tolist()
    ([5, 4, 3], [[2, 0], [5, 3]])
    """
    if var is not None:
        return _assignable(getitem(tensor, slice_spec), slice_spec, var)
    value = host_array(tensor)
    if value is not None:
        taken = _taken(value, slice_spec)
        if taken is not None:
            return taken
    if _is_mask(slice_spec):
        return boolean_mask(tensor, slice_spec)
    if _chooses(slice_spec):
        return _chosen(tensor, slice_spec)
    tensor = tensor if isinstance(tensor, Tensor) else convert_to_tensor(tensor)
    bounds, masks = _spec(slice_spec)
    if state.graph is None:
        return dispatch(registry.REGISTRY["StridedSlice"], (tensor, *bounds), masks)
    return call("StridedSlice", (tensor, *bounds), masks, "strided_slice")


def variable_getitem(variable, key):
    """`variable[key]`: the slice, as a tensor with a method `assign` that writes into the variable.

    >>> v = tf.Variable([1, 2, 3])
    >>> v[1:].assign([5, 6]).numpy().tolist()
    [1, 5, 6]
    """
    return getitem(variable.value(), key, variable)


def _assignable(sliced, key, variable):
    def assign(value, name=None):
        bounds, masks = _spec(key)
        return variable._strided_slice_assign(*bounds, value, masks)

    if not (_is_mask(key) or _chooses(key)):
        sliced.assign = assign
    return sliced


def variable_setitem(variable, key, value):
    """`variable[key] = value`, as NumPy assigns: the value is broadcast, and the key may be a mask or hold arrays of
    indices.

    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> v[0] = 5
    >>> v[v < 4] += 10
    >>> v.numpy().tolist()
    [[5, 5], [13, 4]]
    """
    value = convert_to_tensor(value, variable.dtype)
    if _is_mask(key) or _chooses(key):
        from reflow.api.numpy.choosing import with_index_update

        variable.assign(with_index_update(variable.value(), key, value))
        return
    bounds, masks = _spec(key)
    space = shape(getitem(variable.value(), key))
    variable._strided_slice_assign(*bounds, broadcast_to(value, space), masks)


def _chooses(key) -> bool:
    """Whether a key holds arrays of indices. A list that is the whole key is a tuple, as in TensorFlow."""
    if type(key) is tuple:
        return any(type(k) is list or _is_array(k) for k in key)
    return _is_array(key)


def _is_array(key) -> bool:
    if isinstance(key, np.ndarray):
        return key.ndim > 0 and key.dtype.kind in "iub"
    return isinstance(key, TensorBase) and bool(key.shape.rank) and key.dtype.kind in "iub"


def _chosen(tensor, key):
    from reflow.api.numpy.choosing import numpy_getitem

    return numpy_getitem(tensor, key)


def _spec(key):
    """begin, end and strides of a StridedSlice, and its masks."""
    keys = tuple(key) if isinstance(key, (tuple, list)) else (key,)
    begin, end, strides = [], [], []
    begin_mask = end_mask = ellipsis_mask = new_axis_mask = shrink_axis_mask = 0
    for i, k in enumerate(keys):
        bit = 1 << i
        if isinstance(k, _slice):
            begin.append(0 if k.start is None else _bound(k.start))
            end.append(0 if k.stop is None else _bound(k.stop))
            strides.append(1 if k.step is None else _bound(k.step))
            begin_mask |= bit if k.start is None else 0
            end_mask |= bit if k.stop is None else 0
        elif k is Ellipsis or k is None:
            begin.append(0)
            end.append(0)
            strides.append(1)
            if k is None:
                new_axis_mask |= bit
            else:
                ellipsis_mask |= bit
        else:
            k = _bound(k)
            begin.append(k)
            end.append(k + 1 if isinstance(k, int) else _next(k))
            strides.append(1)
            shrink_axis_mask |= bit
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    return _bounds(begin, end, strides), masks


def _taken(value, key):
    """For eager code while nothing is recording: NumPy's own indexing, where it means the same (2 µs instead of 15).

    None if it does not, or if it fails: the op then raises TensorFlow's error.
    """
    keys = key if type(key) is tuple else (key,)
    for k in keys:
        kind = type(k)
        if kind is _slice:
            if type(k.start) not in _PLAIN or type(k.stop) not in _PLAIN or type(k.step) not in _PLAIN:
                return None
        elif kind is not int and k is not None and k is not Ellipsis:
            return None
    try:  # with an ellipsis the result is an array, never a scalar
        taken = value[keys if Ellipsis in keys else (*keys, Ellipsis)]
    except (IndexError, ValueError):
        return None
    return EagerTensor(taken.copy() if taken.nbytes * 4 < value.nbytes else taken)


def _is_mask(key) -> bool:
    if isinstance(key, (bool, np.bool_)):
        raise ValueError("mask cannot be scalar.")
    if isinstance(key, np.ndarray):
        return key.dtype == bool
    return isinstance(key, TensorBase) and key.dtype is dtypes.bool_


def _bound(k):
    """A number in an index: a Python int, or a scalar integer tensor."""
    if type(k) is int:
        return k
    if isinstance(k, TensorBase) or hasattr(k, "__tf_tensor__"):
        k = convert_to_tensor(k)
        if k._dtype.kind not in "iu" or k.shape.rank not in (None, 0):
            raise _refused(k)
        if k._dtype not in (dtypes.int16, dtypes.int32, dtypes.int64):
            k = call("Cast", (k,), {"DstT": dtypes.int64})
        return k
    if isinstance(k, (bool, np.bool_)) or not hasattr(k, "__index__") or isinstance(k, np.ndarray) and k.ndim:
        if isinstance(k, Dimension):
            return int(k)
        raise _refused(k)
    return k.__index__()


def _refused(k):
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 "
        f"tensors are valid indices, got {k!r}"
    )


def _next(k):
    return call("AddV2", (k, convert.constant(1, k._dtype)))


def _bounds(*lists):
    """begin, end and strides as vectors of one integer dtype."""
    tensors = [k for row in lists for k in row if not isinstance(k, int)]
    if not tensors:
        big = any(not -(2**31) <= k < 2**31 for row in lists for k in row)
        return [convert.from_array(np.array(row, np.int64 if big else np.int32)) for row in lists]
    if all(isinstance(k, EagerTensor) for k in tensors) and state.graph is None:
        rows = [[int(k) for k in row] for row in lists]
        return [EagerTensor(np.array(row, np.int64)) for row in rows]
    dtype = next((t._dtype for t in tensors if t._dtype is dtypes.int64), tensors[0]._dtype)
    if any(t._dtype is not dtype for t in tensors):
        dtype = dtypes.int64
    return [_packed(row, dtype) for row in lists]


def _packed(row, dtype):
    if all(isinstance(k, int) for k in row):
        return convert.from_array(np.array(row, dtype.np_dtype))
    parts = [
        convert.constant(k, dtype)
        if isinstance(k, int)
        else (k if k._dtype is dtype else call("Cast", (k,), {"DstT": dtype}))
        for k in row
    ]
    return call("Pack", parts, {"axis": 0})


# --- slices -----------------------------------------------------------------------------------------------------------


@export("slice")
def slice(input_, begin, size, name=None):
    """Returns the block of a tensor that starts at `begin` and has the given size.

    Args:
      input_: A tensor.
      begin: The first index along each axis.
      size: The number of elements along each axis; -1 for everything to the end.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input_`.

    Raises:
      InvalidArgumentError: The block is not inside the tensor.

    >>> tf.slice([1, 2, 3, 4], [1], [2]).numpy().tolist()
    [2, 3]
    """
    begin, size = _same_index_type(shape_operand(begin, "Slice"), shape_operand(size, None))
    return call("Slice", (convert_to_tensor(input_), begin, size), label=name)


def _same_index_type(*operands):
    if len({t._dtype for t in operands}) == 1:
        return operands
    return [call("Cast", (t,), {"DstT": dtypes.int64}) if t._dtype is dtypes.int32 else t for t in operands]


@export("strided_slice")
def strided_slice(
    input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0,
    var=None, name=None,
):
    """Returns the elements from `begin` to `end` in steps of `strides`; `x[...]` is written with it.

    The masks are sets of bits, one for each entry of `begin`.

    Args:
      input_: A tensor.
      begin: The first index along each axis.
      end: The index after the last.
      strides: The steps, which may be negative; by default 1.
      begin_mask: Where `begin` is ignored, as in `x[:3]`.
      end_mask: Where `end` is ignored, as in `x[3:]`.
      ellipsis_mask: Where the entry stands for `...`.
      new_axis_mask: Where the entry stands for a new axis of size 1.
      shrink_axis_mask: Where the entry is one index, whose axis is removed.
      var: Must be None.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input_`.

    Raises:
      InvalidArgumentError: A stride is 0, or an index of the shrink mask is out of range.
      NotImplementedError: `var` is given.

    >>> tf.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy().tolist()
    [1, 3]
    """
    if var is not None:
        raise NotImplementedError(
            "tf.strided_slice: `var` is not supported; assign to the slice of a variable instead."
        )
    begin = shape_operand(begin, "StridedSlice")
    end = shape_operand(end, "StridedSlice")
    if strides is None:
        strides = np.ones(begin.shape[0], begin._dtype.np_dtype)
    strides = shape_operand(strides, "StridedSlice")
    attrs = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    return call("StridedSlice", (convert_to_tensor(input_), *_same_index_type(begin, end, strides)), attrs, name)


# --- gathers ----------------------------------------------------------------------------------------------------------


@export("gather")
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Gathers slices of `params` along `axis` at the given indices.

    Args:
      params: The tensor, or variable, to take slices from.
      indices: Integers in `[0, params.shape[axis])`, of any shape.
      validate_indices: Ignored: indices are always checked.
      axis: The axis of `params` that the indices refer to; by default `batch_dims`.
      batch_dims: How many leading axes of both are batch axes.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `params`, of shape `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis
      + 1:]`.

    Raises:
      InvalidArgumentError: An index is out of range, or the indices are no integers.

    >>> tf.gather([10, 20, 30], [2, 0]).numpy().tolist()
    [30, 10]
    """
    axis = batch_dims if axis is None else axis
    indices = convert_to_tensor(indices)
    whole = isinstance(axis, (int, np.integer)) or isinstance(axis, EagerTensor) and axis.shape.rank == 0
    if batch_dims == 0 and whole and hasattr(params, "sparse_read") and get_static_value(axis) == 0:
        return params.sparse_read(indices, name=name)
    params = convert_to_tensor(params)
    if indices._dtype not in (dtypes.int16, dtypes.int32, dtypes.int64):
        if indices._dtype.kind not in "iu" and state.graph is None:
            raise errors.InvalidArgumentError(
                None, None,
                f"Value for attr 'Tindices' of {short_name(indices._dtype)} is not in the list of allowed values: "
                "int16, int32, int64 [Op:GatherV2] name: ",
            )
        indices = call("Cast", (indices,), {"DstT": dtypes.int64}) if indices._dtype.kind in "iu" else indices
    axis = convert_to_tensor(axis, dtype_hint=dtypes.int32)
    return call("GatherV2", (params, indices, axis), {"batch_dims": int(batch_dims)}, name)


@export("compat.v1.batch_gather")
def batch_gather(params, indices, name=None):
    """Gathers slices of `params` along the last axis of `indices`; all axes before it are batch axes.

    Args:
      params: The tensor to take slices from.
      indices: A tensor or ragged tensor of integers, of known rank.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `params`.

    Raises:
      ValueError: The rank of `indices` is not known.

    >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
    [[2], [3]]
    """
    indices = indices if hasattr(indices, "row_splits") else convert_to_tensor(indices)
    rank = TensorShape(indices.shape).rank
    if rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    return gather(params, indices, batch_dims=rank - 1, name=name)


def is_symbolic(value) -> bool:
    return isinstance(value, Tensor) and not isinstance(value, EagerTensor)


@export("gather_nd")
def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """Gathers elements or slices by coordinates: `params[indices[..., 0], indices[..., 1], ...]`.

    Args:
      params: The tensor to take elements from.
      indices: Integers, whose last axis holds the coordinates; with fewer coordinates than axes, slices are taken.
      batch_dims: How many leading axes of both are batch axes.
      name: A name for the operation.
      bad_indices_policy: "IGNORE" to give zeros for indices out of range; by default, or with "ERROR", they are an
        error.

    Returns:
      A tensor of the dtype of `params`, of shape `indices.shape[:-1] + params.shape[batch_dims + indices.shape[-1]:]`.

    Raises:
      InvalidArgumentError: Coordinates are out of range.
      ValueError: `batch_dims` is negative, or not below both ranks.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
    """
    params, indices = convert_to_tensor(params), convert_to_tensor(indices)
    batch_dims = int(batch_dims)
    if batch_dims:
        _check_batch_dims(batch_dims, params=params, indices=indices)
        indices = _with_batch_places(indices, batch_dims)
    return call("GatherNd", (params, indices), {"bad_indices_policy": bad_indices_policy}, name)


def _check_batch_dims(batch_dims, **tensors):
    if batch_dims < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    for name in ("indices", "params"):
        rank = tensors[name].shape.rank
        if rank is not None and batch_dims >= rank:
            raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`{name}`) = {rank}")


def _with_batch_places(indices, batch_dims):
    """Indices preceded by the coordinates of their batch."""
    ndim = indices.shape.rank
    if ndim is None:
        raise ValueError(f"batch_dims = {batch_dims} needs indices of a known rank")
    dims = shape(indices, indices._dtype)
    lead = dims[:-1]
    columns = []
    for axis in range(batch_dims):
        places = call("Range", (convert.constant(0, indices._dtype), dims[axis], convert.constant(1, indices._dtype)))
        places = reshape(places, [1] * axis + [-1] + [1] * (ndim - 2 - axis))
        columns.append(call("ExpandDims", (call("BroadcastTo", (places, lead)), convert.constant(-1))))
    return concat([*columns, indices], -1)


# --- masks ------------------------------------------------------------------------------------------------------------


@export("boolean_mask")
@scoped("boolean_mask")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """Picks the elements (or slices) of a tensor where a mask is true.

    Args:
      tensor: A tensor.
      mask: Booleans, of the shape of the axes of `tensor` that start at `axis`; its rank must be known.
      axis: The first of these axes; by default 0.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `tensor`, with one axis in the place of those of the mask.

    Raises:
      ValueError: The mask is a scalar, or its shape is not that of the axes.

    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
    [1, 3]
    """
    tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask)
    dims, mask_dims = tensor.shape._dims, mask.shape._dims
    if mask_dims is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] "
            "is ok, but shape=None is not."
        )
    if not mask_dims:
        raise ValueError("mask cannot be scalar.")
    axis = 0 if axis is None else int(get_static_value(axis))
    count = len(mask_dims)
    if dims is not None:
        axis = axis + len(dims) if axis < 0 else axis
        TensorShape._of(dims[axis : axis + count]).assert_is_compatible_with(mask.shape)
    all_dims = shape(tensor)
    leading = reduce_all_axes("Prod", getitem(all_dims, _slice(axis, axis + count)))
    flat = reshape(
        tensor,
        concat(
            [
                getitem(all_dims, _slice(None, axis)),
                reshape(leading, [1]),
                getitem(all_dims, _slice(axis + count, None)),
            ],
            0,
        ),
    )
    places = call("Where", (reshape(mask, [-1]),))
    return gather(flat, call("Squeeze", (places,), {"squeeze_dims": [1]}), axis=axis, name=name)


# --- scatters ---------------------------------------------------------------------------------------------------------


@export("scatter_nd")
def scatter_nd(indices, updates, shape, bad_indices_policy="", name=None):
    """Adds `updates` at `indices` to zeros of the given shape.

    Args:
      indices: Integers, whose last axis holds coordinates; those that repeat add up.
      updates: The elements, or slices, for each of them: of shape `indices.shape[:-1] + shape[indices.shape[-1]:]`.
      shape: The shape of the result.
      bad_indices_policy: "IGNORE" to skip indices out of range; by default, or with "ERROR", they are an error.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `updates`.

    Raises:
      InvalidArgumentError: Coordinates are out of range, or the shapes do not match.

    >>> tf.scatter_nd([[1], [1]], [5, 6], [3]).numpy().tolist()
    [0, 11, 0]
    """
    indices = convert_to_tensor(indices)
    operand = shape_operand(shape, None)
    if operand._dtype is not indices._dtype:
        operand = call("Cast", (operand,), {"DstT": indices._dtype})
    attrs = {"bad_indices_policy": bad_indices_policy}
    return call("ScatterNd", (indices, convert_to_tensor(updates), operand), attrs, name)


def _scatter(op, tensor, indices, updates, policy, name):
    tensor = convert_to_tensor(tensor)
    return call(
        op, (tensor, convert_to_tensor(indices), convert_to_tensor(updates, dtype_hint=tensor._dtype)),
        {"bad_indices_policy": policy}, name,
    )


@export("tensor_scatter_nd_update")
def tensor_scatter_nd_update(tensor, indices, updates, name=None):
    """Returns a tensor with the elements or slices at `indices` replaced.

    Args:
      tensor: A tensor, which stays as it is.
      indices: Integers, whose last axis holds coordinates; of those that repeat the last wins.
      updates: The elements, or slices, for each of them: of shape `indices.shape[:-1] +
        tensor.shape[indices.shape[-1]:]`.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: Coordinates are out of range, or shapes or dtypes do not match.

    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9]).numpy().tolist()
    [1, 9, 3]
    """
    return _scatter("TensorScatterUpdate", tensor, indices, updates, "", name)


def _scattered(op_name: str, public: str, what: str, example: list):
    def function(tensor, indices, updates, bad_indices_policy="", name=None):
        return _scatter(op_name, tensor, indices, updates, bad_indices_policy, name)

    doc = f"""Returns a tensor with {what} at `indices`.

    Args:
      tensor: A tensor, which stays as it is.
      indices: Integers, whose last axis holds coordinates; all updates for those that repeat take part.
      updates: The elements, or slices, for each of them: `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: "IGNORE" to skip indices out of range; by default, or with "ERROR", they are an error.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: Coordinates are out of range, or shapes or dtypes do not match.

    >>> tf.{public}([6, 6, 6], [[0], [2]], [5, 7]).numpy().tolist()
    {example}
    """
    return export_function(function, public, doc=doc)


tensor_scatter_nd_add = _scattered("TensorScatterAdd", "tensor_scatter_nd_add", "`updates` added", [11, 6, 13])
tensor_scatter_nd_sub = _scattered("TensorScatterSub", "tensor_scatter_nd_sub", "`updates` subtracted", [1, 6, -1])
tensor_scatter_nd_max = _scattered(
    "TensorScatterMax", "tensor_scatter_nd_max", "the maximum of what is there and `updates`", [6, 6, 7]
)
tensor_scatter_nd_min = _scattered(
    "TensorScatterMin", "tensor_scatter_nd_min", "the minimum of what is there and `updates`", [5, 6, 6]
)


__all__ = ["getitem", "stack", "variable_getitem"]
