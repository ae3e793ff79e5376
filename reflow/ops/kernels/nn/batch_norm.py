"""Fused batch normalization: `FusedBatchNorm`, `V2`, `V3`, and their gradients.

Statistics are float32 (or wider) also for 16-bit inputs. As on TensorFlow's CPU, the *reserve* outputs that the
gradient takes are the batch's mean and its biased variance, while the `batch_variance` output is unbiased.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.nn import trace_checks as traced
from reflow.ops.kernels.nn.windows import Layout
from reflow.ops.registry import op

_OWN = ("epsilon", "data_format", "is_training")


def _statistics(xp, x, axes):
    count = math.prod(x.shape[a] for a in axes)
    mean = xp.mean(x, axes)
    return count, mean, xp.mean(xp.square(xp.subtract(x, mean)), axes)


def _mixed(xp, old, new, factor):
    """The running average; a factor of 1 takes the new value, and leaves an uninitialised old one alone."""
    if factor == 1:
        return new
    return xp.add(xp.multiply(old, xp.const(1 - factor, old)), xp.multiply(new, xp.const(factor, new)))


def _normalise(xp, x, scale, offset, mean, variance, epsilon):
    inverse = xp.multiply(scale, xp.rsqrt(xp.add(variance, xp.const(epsilon, variance))))
    return xp.add(xp.multiply(xp.subtract(x, mean), inverse), offset)


def _forward(
    xp, x, scale, offset, mean, variance, epsilon=1e-4, exponential_avg_factor=1.0, data_format="NHWC", is_training=True
):
    if x.ndim not in (4, 5):
        raise ValueError(f"input must be 4 or 5-dimensional{rules.text(x.shape)}")
    layout = Layout(data_format, x.ndim - 2)
    dtype, wide = x.dtype, scale.dtype
    x = xp.cast(layout.last(xp, x), wide)
    if scale.shape != (x.shape[-1],) or offset.shape != (x.shape[-1],):
        raise ValueError(
            f"scale must have the same number of elements as the channels of x, got {scale.shape[0]} and {x.shape[-1]}"
        )
    read = not is_training or exponential_avg_factor != 1
    require.vectors(x.shape[-1] if read else None, estimated_mean=mean, estimated_variance=variance)
    if not is_training:
        y = _normalise(xp, x, scale, offset, mean, variance, epsilon)
        return layout.back(xp, xp.cast(y, dtype)), mean, variance, mean, variance
    count, batch_mean, batch_variance = _statistics(xp, x, tuple(range(x.ndim - 1)))
    y = _normalise(xp, x, scale, offset, batch_mean, batch_variance, epsilon)
    unbiased = xp.multiply(batch_variance, xp.const(count / max(count - 1, 1), batch_variance))
    return (
        layout.back(xp, xp.cast(y, dtype)),
        _mixed(xp, mean, batch_mean, exponential_avg_factor),
        _mixed(xp, variance, unbiased, exponential_avg_factor),
        batch_mean,
        batch_variance,
    )


def _cotangents(xp, g, x, scale, mean, variance, epsilon, data_format, is_training):
    """What x, the scale and the offset get."""
    if x.ndim not in (4, 5):
        raise ValueError(f"input must be 4 or 5-dimensional{rules.text(x.shape)}")
    require.equal_shapes(x=x, y_backprop=g)
    require.vectors(scale=scale, reserve_space_1=mean, reserve_space_2=variance)
    layout = Layout(data_format, x.ndim - 2)
    dtype, wide = x.dtype, scale.dtype
    x, g = (xp.cast(layout.last(xp, t), wide) for t in (x, g))
    axes = tuple(range(x.ndim - 1))
    inverse = xp.rsqrt(xp.add(variance, xp.const(epsilon, variance)))
    normal = xp.multiply(xp.subtract(x, mean), inverse)
    of_scale, of_offset = xp.sum(xp.multiply(g, normal), axes), xp.sum(g, axes)
    if is_training:
        count = xp.const(max(1, math.prod(x.shape[:-1])), x)
        g = xp.subtract(xp.subtract(g, xp.divide(of_offset, count)), xp.multiply(normal, xp.divide(of_scale, count)))
    of_x = xp.multiply(g, xp.multiply(scale, inverse))
    return layout.back(xp, xp.cast(of_x, dtype)), of_scale, of_offset


def _second_order(xp, attrs, inputs, outputs, cts, wanted):
    """The gradient of the gradient: what `y_backprop`, x and the scale get.

    In training the reserves are the mean and the variance of x, so x gets what flows through them too.
    """
    g, x, scale, mean, variance = inputs[:5]
    u, v, w = cts[:3]
    layout = Layout(attrs.get("data_format", "NHWC"), x.ndim - 2)
    axes, epsilon = tuple(range(x.ndim - 1)), attrs.get("epsilon", 1e-4)
    narrow = x
    g, x, u = (None if t is None else xp.cast(layout.last(xp, t), scale.dtype) for t in (g, x, u))
    u = xp.zeros_like(x) if u is None else u
    v, w = (xp.zeros_like(scale) if t is None else t for t in (v, w))
    inverse = xp.rsqrt(xp.add(variance, xp.const(epsilon, variance)))
    normal = xp.multiply(xp.subtract(x, mean), inverse)

    def centred(values):
        """What is left of values without their mean and without what is parallel to x."""
        if not attrs.get("is_training", True):
            return values
        along = xp.multiply(normal, xp.mean(xp.multiply(values, normal), axes))
        return xp.subtract(xp.subtract(values, xp.mean(values, axes)), along)

    size, inner = xp.multiply(scale, inverse), centred(g)
    of_g = xp.add(xp.multiply(size, centred(u)), xp.add(xp.multiply(v, normal), w))
    of_scale = xp.multiply(inverse, xp.sum(xp.multiply(u, inner), axes))
    of_x = xp.multiply(v, g)
    if attrs.get("is_training", True):
        shared = xp.add(
            xp.multiply(g, xp.mean(xp.multiply(u, normal), axes)), xp.multiply(u, xp.mean(xp.multiply(g, normal), axes))
        )
        of_x = centred(xp.subtract(of_x, xp.multiply(size, shared)))
        through_variance = xp.multiply(size, xp.mean(xp.multiply(u, inner), axes))
        of_x = xp.subtract(of_x, xp.multiply(normal, through_variance))
    of_x = xp.multiply(inverse, of_x)
    of_g, of_x = (layout.back(xp, xp.cast(t, narrow.dtype)) for t in (of_g, of_x))
    return of_g, of_x, of_scale, *(xp.zeros_like(t) if want else None for t, want in zip(inputs[3:], wanted[3:]))


def _shapes(outputs):
    def rule(f):
        dims = _dims(f, 0)
        channels = dims[1] if f.attr("data_format").startswith("NC") else dims[-1]
        if channels is None and f.shapes[1] is not None:
            channels = f.shapes[1][0]
        return [dims, *[(channels,)] * 4, (0,)][:outputs]

    return rule


def _dims(f, index):
    """The shape of the images; `data_format` says at least their rank."""
    dims = f.shapes[index]
    return (None,) * len(f.attr("data_format")) if dims is None else dims


def _grad_shapes(f):
    channels = (None,) if f.shapes[2] is None else f.shapes[2]
    return [_dims(f, 1), channels, channels, (0,), (0,)]


# --- the ops: three versions; the third has an additional reserve space, which is empty on the CPU
# ----------------------


def _empty(xp, like):
    return xp.zeros((0,), np.dtype(like.dtype))


def _forward_v3(
    xp, x, scale, offset, mean, variance, epsilon=1e-4, exponential_avg_factor=1.0, data_format="NHWC", is_training=True
):
    rest = epsilon, exponential_avg_factor, data_format, is_training
    return *_forward(xp, x, scale, offset, mean, variance, *rest), _empty(xp, scale)


def _backward(
    xp, y_backprop, x, scale, reserve_space_1, reserve_space_2, epsilon=1e-4, data_format="NHWC", is_training=True
):
    mean, variance = reserve_space_1, reserve_space_2
    found = _cotangents(xp, y_backprop, x, scale, mean, variance, epsilon, data_format, is_training)
    return *found, _empty(xp, scale), _empty(xp, scale)


def _backward_v3(
    xp, y_backprop, x, scale, reserve_space_1, reserve_space_2, reserve_space_3, epsilon=1e-4, data_format="NHWC",
    is_training=True,
):
    rest = epsilon, data_format, is_training
    return _backward(xp, y_backprop, x, scale, reserve_space_1, reserve_space_2, *rest)


def _grad(xp, attrs, inputs, outputs, cts, wanted):
    x, scale, _, mean, variance = inputs
    if cts[0] is None:
        return (None,) * 5
    if attrs.get("is_training", True):
        mean, variance = outputs[3:5]
    rest = attrs.get("epsilon", 1e-4), attrs.get("data_format", "NHWC"), attrs.get("is_training", True)
    return *_cotangents(xp, cts[0], x, scale, mean, variance, *rest), None, None


def _grad_tensors(name):
    """The gradient as the op called `name`."""

    def grad(attrs, inputs, outputs, cotangents, wanted):
        x, scale, _, mean, variance = inputs
        g = cotangents[0]
        if g is None:
            return [None] * 5
        reserve = outputs[3:] if attrs.get("is_training", True) else [mean, variance, *outputs[5:]]
        own = {k: attrs[k] for k in _OWN if k in attrs}
        of_x, of_scale, of_offset, *_ = run(name, g, x, scale, *reserve, **own)
        return [of_x, of_scale, of_offset, None, None]

    return grad


for _version, _outputs, _kernel, _grad_kernel in (
    ("", 5, _forward, _backward),
    ("V2", 5, _forward, _backward),
    ("V3", 6, _forward_v3, _backward_v3),
):
    _back = "FusedBatchNormGrad" + _version
    op(
        "FusedBatchNorm" + _version, shape=_shapes(_outputs), grad=_grad, grad_tensors=_grad_tensors(_back),
        trace_check=traced.batch_norm,
    )(_kernel)
    op(_back, shape=_grad_shapes, grad=_second_order, trace_check=traced.batch_norm_gradient)(_grad_kernel)
