"""`tf.nn`: biases, means and variances, normalization, and counts (zeros, correct predictions)."""

from __future__ import annotations

import math as pymath
from typing import Any

from reflow.api.call import call, op_inputs, tensor_or
from reflow.api.export import export
from reflow.api.math import elementwise as m
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops.convert import constant, convert_to_tensor


def _axes(axes, rank=None):
    """Axes as an int32 tensor; None means all of `rank`."""
    if isinstance(axes, Tensor):
        return axes
    return constant(list(range(rank)) if axes is None else axes, dtypes.int32)


def reduced(op_name, x, axes, keepdims=False, name=None):
    """A reduction over axes, all of them if `axes` is None."""
    if axes is None and x.shape.rank is None:
        axes = call("Range", (constant(0), call("Rank", (x,)), constant(1)))
    return call(op_name, (x, _axes(axes, x.shape.rank)), {"keep_dims": bool(keepdims)}, name)


@export("nn.bias_add")
def bias_add(value, bias, data_format=None, name=None):
    """Adds a vector to the channels.

    Args:
      value: A tensor of at least two axes.
      bias: A vector with a number for each channel, of the same dtype.
      data_format: `"N...C"`, the default, for channels in the last axis, or `"NC..."` for channels in the second.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `value`.

    Raises:
      ValueError: `data_format` does not begin with `"N"`.
      InvalidArgumentError: The number of channels differs from the size of `bias`.

    >>> bias_add(constant([[1.0, 2.0]]), [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    if data_format is not None:
        if not data_format.startswith("N"):
            raise ValueError(
                f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}"
            )
        data_format = "NCHW" if data_format.startswith("NC") else "NHWC"
    value = convert_to_tensor(value)
    bias = (tensor_or if state.graph is None else convert_to_tensor)(bias, value.dtype)
    return call("BiasAdd", (value, bias), {"data_format": data_format} if data_format == "NCHW" else {}, name)


def _squeezed(x, axes, rank):
    axes = [a % rank for a in ([axes] if isinstance(axes, int) else axes)] if rank is not None else list(axes)
    return call("Squeeze", (x,), {"squeeze_dims": axes})


@export("nn.moments")
@scoped("moments")
def moments(x, axes, shift=None, keepdims=False, name=None):
    """Computes the mean and variance over axes.

    Args:
      x: A tensor of floats.
      axes: The axes to reduce, a list of numbers.
      shift: Has no effect, as in TensorFlow.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation.

    Returns:
      The mean and the variance, two tensors of the dtype of `x`.

    >>> [t.numpy().tolist() for t in moments(constant([1.0, 3.0]), [0])]
    [2.0, 1.0]
    """
    x = convert_to_tensor(x)
    y = m.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
    mean = reduced("Mean", y, axes, True)
    spread = m.squared_difference(y, call("StopGradient", (mean,)))
    variance = reduced("Mean", spread, axes, True, name)
    return _moments_out(x, (mean, variance), axes, keepdims)


def _moments_out(x, values, axes, keepdims):
    if not keepdims:
        # []: all axes, each of size 1
        axes = [] if axes is None else axes.numpy().tolist() if isinstance(axes, EagerTensor) else axes
        values = [_squeezed(v, axes, x.shape.rank) for v in values]
    return tuple(m.cast(v, x.dtype) if x.dtype is dtypes.float16 else v for v in values)


@export("nn.weighted_moments")
def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """Computes the weighted mean and variance over axes.

    Args:
      x: A tensor of floats.
      axes: The axes to reduce, a list of numbers.
      frequency_weights: The weights, broadcast to `x`.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation.

    Returns:
      The mean and the variance, two tensors of the dtype of `x`.

    >>> [t.numpy().tolist() for t in weighted_moments(constant([1.0, 3.0]), [0], [3.0, 1.0])]
    [1.5, 0.75]
    """
    x = convert_to_tensor(x)
    y = m.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
    weights = m.cast(convert_to_tensor(frequency_weights), y.dtype)
    total = reduced("Sum", m.add(weights, call("ZerosLike", (y,))), axes, True)
    mean = m.divide_no_nan(reduced("Sum", m.multiply(weights, y), axes, True), total)
    spread = reduced("Sum", m.multiply(weights, m.squared_difference(y, mean)), axes, True)
    return _moments_out(x, (mean, m.divide_no_nan(spread, total, name=name)), axes, keepdims)


@export("nn.sufficient_statistics")
def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """Computes the count, sum and sum of squares over axes, from which `normalize_moments` gets mean and variance.

    Args:
      x: A tensor of floats.
      axes: The axes to reduce, a list of numbers.
      shift: A value near the mean that is subtracted first, for accuracy; None for none.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation.

    Returns:
      The count, the sum, the sum of squares, all of the dtype of `x`; and `shift`, as a tensor or None.

    >>> [t.numpy().tolist() for t in sufficient_statistics(constant([1.0, 3.0]), [0])[:3]]
    [2.0, 4.0, 10.0]
    """
    x = convert_to_tensor(x)
    axes = sorted(set(axes))
    dims = [x.shape[a] for a in axes]
    if None in dims:
        sizes = call(
            "GatherV2", (m.cast(call("Shape", (x,)), x.dtype), constant([a % x.shape.rank for a in axes]), constant(0))
        )
        counts = reduced("Prod", sizes, [0])
    else:
        counts = constant(pymath.prod(dims), x.dtype)
    if shift is not None:
        shift = convert_to_tensor(shift, x.dtype)
    first = x if shift is None else m.subtract(x, shift)
    second = m.square(x) if shift is None else m.squared_difference(x, shift)
    return counts, reduced("Sum", first, axes, keepdims), reduced("Sum", second, axes, keepdims, name), shift


@export("nn.normalize_moments")
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """Computes the mean and variance from sufficient statistics.

    Args:
      counts: The number of elements.
      mean_ss: The sum of the (shifted) elements.
      variance_ss: The sum of the squares of the (shifted) elements.
      shift: What was subtracted from the elements, or None.
      name: A name for the operation.

    Returns:
      The mean and the variance.

    >>> [t.numpy().tolist() for t in normalize_moments(constant(2.0), constant(4.0), constant(10.0), None)]
    [2.0, 1.0]
    """
    divisor = m.reciprocal(convert_to_tensor(counts))
    shifted = m.multiply(mean_ss, divisor)
    mean = shifted if shift is None else m.add(shifted, shift)
    return mean, m.subtract(m.multiply(variance_ss, divisor), m.square(shifted), name=name)


@export("nn.batch_normalization")
@scoped("batchnorm")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """Computes `scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Args:
      x: A tensor of floats.
      mean: The mean, broadcast to `x`.
      variance: The variance, broadcast to `x`.
      offset: What is added at the end, broadcast to `x`; None for nothing.
      scale: The factor of the normalized values, broadcast to `x`; None for 1.
      variance_epsilon: A small number that keeps the divisor above 0.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `x`.

    >>> batch_normalization(constant([1.0, 3.0]), 2.0, 1.0, None, None, 0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    x, mean, variance = convert_to_tensor(x), convert_to_tensor(mean), convert_to_tensor(variance)
    inverse = m.rsqrt(m.add(variance, convert_to_tensor(variance_epsilon, variance.dtype)))
    if scale is not None:
        inverse = m.multiply(inverse, scale)
    moved = m.multiply(mean, inverse)
    offset = m.negative(moved) if offset is None else m.subtract(offset, moved)
    return m.add(m.multiply(x, m.cast(inverse, x.dtype)), m.cast(offset, x.dtype), name=name)


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None
):
    """Applies `batch_normalization`, scaling only if `scale_after_normalization` is set.

    Args:
      input: A tensor of floats.
      mean: The mean, broadcast to `input`.
      variance: The variance, broadcast to `input`.
      beta: What is added at the end, broadcast to `input`.
      gamma: The factor of the normalized values, broadcast to `input`.
      variance_epsilon: A small number that keeps the divisor above 0.
      scale_after_normalization: Whether `gamma` is used.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `input`.

    >>> batch_norm_with_global_normalization(constant([1.0, 3.0]), 2.0, 1.0, 0.0, 5.0, 0.0, False).numpy()
    array([-1.,  1.], dtype=float32)
    """
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon, name
    )


@export("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
@scoped("l2_normalize", result=True)
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """Divides a tensor by its Euclidean norm along axes.

    Args:
      x: A tensor of floats or complex numbers.
      axis: The axis or axes of the norm; by default all.
      epsilon: The least square of the norm to divide by.
      name: A name for the operation.
      dim: An older name of `axis`.

    Returns:
      A tensor of the shape and dtype of `x`.

    Raises:
      ValueError: Both `axis` and `dim` are given.

    >>> l2_normalize(constant([3.0, 4.0])).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'.")
        axis = dim
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        real, imag = m.real(x), m.imag(x)
        total = reduced("Sum", m.add(m.square(real), m.square(imag)), axis, True)
        inverse = m.rsqrt(m.maximum(total, constant(epsilon, total.dtype)))
        return m.make_complex(m.multiply(real, inverse), m.multiply(imag, inverse), name=name)
    total = reduced("Sum", m.square(x), axis, True)
    return m.multiply(x, m.rsqrt(m.maximum(total, constant(epsilon, x.dtype))), name=name)


@export("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(input, depth_radius=5, bias: Any = 1, alpha: Any = 1, beta: Any = 0.5, name=None):
    """Divides each channel by a power of the sum of squares of its neighbors.

    Args:
      input: Images [batch, height, width, channels] of floats.
      depth_radius: How many channels on each side are neighbors.
      bias: What is added to the weighted sum.
      alpha: The weight of the sum of squares.
      beta: The power.
      name: A name for the operation.

    Returns:
      A tensor of the same shape and dtype: `input / (bias + alpha * sum) ** beta`.

    >>> local_response_normalization(constant([[[[0.0, 0.0]]]])).numpy().tolist()
    [[[[0.0, 0.0]]]]
    """
    attrs = {"depth_radius": int(depth_radius), "bias": float(bias), "alpha": float(alpha), "beta": float(beta)}
    return call("LRN", op_inputs("LRN", input), attrs, name)


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value, name=None):
    """Computes the fraction of elements that are zero.

    Args:
      value: A tensor of numbers.
      name: A name for the operation.

    Returns:
      A float32 scalar; NaN for an empty tensor.

    >>> zero_fraction(constant([0.0, 1.0])).numpy().item()
    0.5
    """
    value = convert_to_tensor(value)
    zeros = m.cast(m.equal(value, constant(0, value.dtype)), dtypes.int64)
    size = m.cast(call("Size", (value,), {"out_type": dtypes.int64}), dtypes.float32)
    return m.realdiv(m.cast(reduced("Sum", zeros, None), dtypes.float32), size, name=name)


@export("nn.in_top_k", "math.in_top_k")
@scoped("in_top_k")
def in_top_k(targets, predictions, k, name=None):
    """Tells for each target whether it is among the `k` classes with the highest predictions.

    Args:
      targets: The correct classes, a vector of int32 or int64.
      predictions: float32 of shape [batch, classes].
      k: How many classes to look at.
      name: A name for the operation.

    Returns:
      A bool vector; False for a target that is out of range.

    >>> in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], 1).numpy()
    array([ True, False])
    """
    targets = convert_to_tensor(targets)
    return call(
        "InTopKV2", (tensor_or(predictions, dtypes.float32), targets, m.cast(k, targets.dtype)), label=name
    )
