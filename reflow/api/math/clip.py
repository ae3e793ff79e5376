"""Clipping by value, by norm, and by the global norm of several tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.math.arithmetic import add, add_n, cast, divide, greater, maximum, minimum, multiply, subtract, where
from reflow.api.math.reduce import reduce_sum
from reflow.api.scoped import scoped
from reflow.core.indexed_slices import IndexedSlices
from reflow.ops.convert import constant, convert_to_tensor, from_array


@export("clip_by_value")
@scoped("clip_by_value", result=True)
def clip_by_value(t, clip_value_min, clip_value_max, name=None) -> Any:
    """Clamps elements to the range from `clip_value_min` to `clip_value_max`.

    Args:
      t: A tensor, or `tf.IndexedSlices`, whose values are clamped.
      clip_value_min: The lowest value, a scalar or a tensor that broadcasts to the shape of `t`.
      clip_value_max: The highest value, in the same way.
      name: A name for the operation.

    Returns:
      A tensor, or `tf.IndexedSlices`, of the shape and dtype of `t`.

    Raises:
      ValueError: A limit would make the result larger than `t`.
      TypeError: A Python float limits integers.

    >>> tf.clip_by_value([-5, 1, 9], 0, 3).numpy().tolist()
    [0, 1, 3]
    """
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clip_by_value(t.values, clip_value_min, clip_value_max, name), t.indices, t.dense_shape)
    values = convert_to_tensor(t)
    below = minimum(values, clip_value_max)
    values.shape.assert_is_compatible_with(below.shape)
    clipped = maximum(below, clip_value_min, name)
    values.shape.assert_is_compatible_with(clipped.shape)
    return clipped


@export("linalg.global_norm")
@scoped("global_norm")
def global_norm(t_list, name=None):
    """Computes the Euclidean norm of all elements of a list of tensors together.

    Args:
      t_list: A list or tuple of tensors, `tf.IndexedSlices` and None, which is skipped.
      name: A name for the operation.

    Returns:
      A scalar tensor of the dtype of the tensors.

    Raises:
      TypeError: `t_list` is neither a list nor a tuple.

    >>> tf.linalg.global_norm([tf.constant([3.0]), tf.constant([4.0])]).numpy().item()
    5.0
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    values = [convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t) for t in t_list if t is not None]
    halves = [call("L2Loss", (v,)) for v in values]
    two = from_array(np.array(2.0, halves[0]._dtype.np_dtype))
    return call("Sqrt", (call("Mul", (add_n(halves), two)),), {}, "global_norm")


@export("clip_by_global_norm")
@scoped("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Scales a list of tensors down together if their global norm exceeds `clip_norm`.

    Args:
      t_list: A list or tuple of tensors, `tf.IndexedSlices` and None, which stays None.
      clip_norm: The greatest global norm of the result, a scalar.
      use_norm: The global norm of `t_list`, if it is known; by default it is computed.
      name: A name for the operation.

    Returns:
      A list like `t_list` with the scaled tensors, and the global norm before scaling. If that is infinite or NaN, all
      elements become NaN.

    Raises:
      TypeError: `t_list` is neither a list nor a tuple.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> norm.numpy().item()
    5.0
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    norm = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    one = constant(1.0, norm._dtype)
    limit = convert_to_tensor(clip_norm, norm._dtype)
    scale = multiply(limit, minimum(divide(one, norm), divide(one, limit)))
    scale = add(scale, subtract(norm, norm))  # an infinite norm makes everything NaN
    out = []
    for t in t_list:
        values = t.values if isinstance(t, IndexedSlices) else t
        if values is not None:
            values = convert_to_tensor(values)
            values = multiply(values, cast(scale, values._dtype))
        out.append(IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values)
    return out, norm


@export("clip_by_norm")
@scoped("clip_by_norm", result=True)
def clip_by_norm(t, clip_norm, axes=None, name=None) -> Any:
    """Scales a tensor down if its Euclidean norm (along `axes`) exceeds `clip_norm`.

    Args:
      t: A tensor of a float or complex dtype, or `tf.IndexedSlices`.
      clip_norm: The greatest norm of the result, a scalar.
      axes: The axes over which each norm is computed; None for one norm of all elements.
      name: A name for the operation.

    Returns:
      A tensor, or `tf.IndexedSlices`, of the shape and dtype of `t`.

    Raises:
      InvalidArgumentError: `t` has another dtype.
      ValueError: `clip_norm` would make the result larger than `t`.

    >>> tf.clip_by_norm([3.0, 4.0], 10.0).numpy().tolist()
    [3.0, 4.0]
    """
    values = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t)
    squares = reduce_sum(multiply(values, values), axes, keepdims=True)
    some = greater(squares, 0)
    safe = where(some, squares, call("OnesLike", (squares,)))
    norm = where(some, call("Sqrt", (safe,)), squares)
    limit = maximum(convert_to_tensor(clip_norm, values._dtype), 0)  # nothing is left below a negative norm
    scaled = multiply(values, limit)
    values.shape.assert_is_compatible_with(scaled.shape)  # norms that are not scalars may only broadcast to the values
    clipped = divide(scaled, maximum(norm, limit), name)
    return IndexedSlices(clipped, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else clipped
