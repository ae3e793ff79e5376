"""Older neural network ops: superseded ones, and ones that combine two other ops."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.dispatch import run
from reflow.ops.kernels.array.slicing import mirror_pad
from reflow.ops.kernels.image.resize import resize_bilinear
from reflow.ops.kernels.nn.activations import in_top_k
from reflow.ops.registry import NO_GRADIENT, get, op


@op("InTopK", shape=rules.same_of_rank(1, 1), trace_check=traced.in_top_k, grad=NO_GRADIENT)
def in_top_k_v1(xp, predictions, targets, k):
    return in_top_k.kernel(xp, predictions, targets, xp.asarray(np.array(k, targets.dtype), targets.dtype))


# --- selection --------------------------------------------------------------------------------------------------------


def _nth_grad(xp, attrs, inputs, outputs, cts, wanted):
    """All elements that equal the n-th share the cotangent."""
    x, value = inputs[0], xp.expand_dims(outputs[0], -1)
    chosen = xp.cast(xp.equal(xp.broadcast_like(value, x), x), x.dtype)
    count = xp.sum(chosen, -1, True)
    return xp.multiply(xp.divide(chosen, xp.broadcast_like(count, x)), xp.expand_dims(cts[0], -1)), None


@op(
    "NthElement", fits="1+", shape=lambda f: [None if f.shapes[0] is None else f.shapes[0][:-1]], static=("n",),
    grad=_nth_grad, needs=("input", "values"),
)
def nth_element(xp, input, n, reverse=False):
    """The n-th smallest element of each row, or the n-th largest."""
    place = int(n)
    if input.ndim < 1 or not 0 <= place < input.shape[-1]:
        raise ValueError(f"Input must be >= 1-D and have at least {place + 1} columns, got {rules.text(input.shape)}")
    ordered = xp.sort(input, -1)
    at = input.shape[-1] - 1 - place if reverse else place
    return xp.reshape(xp.slice(ordered, (0,) * (input.ndim - 1) + (at,), (*input.shape[:-1], 1)), input.shape[:-1])


# --- a convolution and what comes before it ---------------------------------------------------------------------------


def _padded_conv(xp, x, paddings, filter, mode, strides, padding):
    for axis, what in ((0, "batches"), (3, "channels")):
        if paddings.ndim == 2 and len(paddings) == 4 and paddings[axis].any():
            raise ValueError(f"Fused mirror padding only support spatial padding, not {what}: {paddings.tolist()}")
    conv = get("Conv2D").kernel
    return conv(xp, mirror_pad.kernel(xp, x, paddings, mode), filter, strides=strides, padding=padding)


def _pad_conv_grad(attrs, inputs, outputs, cts, wanted):
    x, paddings, filter = inputs
    padded = run("MirrorPad", x, paddings, mode=attrs["mode"])
    how = {"strides": attrs["strides"], "padding": attrs["padding"]}
    back = run("Conv2DBackpropInput", run("Shape", padded), filter, cts[0], **how)
    of_filter = run("Conv2DBackpropFilter", padded, run("Shape", filter), cts[0], **how)
    return run("MirrorPadGrad", back, paddings, mode=attrs["mode"]), None, of_filter


@op("FusedPadConv2D", fits="4 2 4", shape=lambda f: [(None,) * 4], static=("paddings",), grad_tensors=_pad_conv_grad)
def fused_pad_conv(xp, input, paddings, filter, mode, strides, padding):
    return _padded_conv(xp, input, paddings, filter, mode, strides, padding)


def _resized_conv_shape(f):
    """The sides are known where the new size, the paddings and the filter are."""
    (size, paddings), filter = f.values[1:3], f.shapes[3]
    sides: list = [None, None]
    if isinstance(size, tuple) and isinstance(paddings, tuple) and rules.known(size) and rules.known(paddings):
        for i in (0, 1):
            padded, stride = size[i] + sum(paddings[i + 1]), f.attrs["strides"][i + 1]
            window = 1 if f.attrs["padding"] == "SAME" else filter and filter[i]
            sides[i] = None if window is None else -(-(padded - window + 1) // stride)
    batch, channels = f.shapes[0] and f.shapes[0][0], filter and filter[3]
    return [(batch, *sides, channels)]


@op("FusedResizeAndPadConv2D", fits="4 1 2 4", shape=_resized_conv_shape, static=("size", "paddings"), grad=NO_GRADIENT)
def fused_resize_and_pad_conv(xp, input, size, paddings, filter, mode, strides, padding, resize_align_corners=False):
    resized = xp.cast(resize_bilinear.kernel(xp, input, size, resize_align_corners, False), input.dtype)
    return _padded_conv(xp, resized, paddings, filter, mode, strides, padding)


# --- gradients that take a whole tensor where today's take its shape --------------------------------------------------


def _by_shape(name: str, of_input: bool, takes: str, rank: int) -> None:
    """The op `name`, of operands (input, filter, out_backprop), by the op `takes`, of which one operand is a shape."""
    place = 0 if of_input else 1

    @op(name, fits=f"{rank}" if of_input else f"* {rank}", shape=rules.same_of_rank(rank, place), heavy=True)
    def kernel(xp, input, filter, out_backprop, **attrs):
        first, second = (np.array(input.shape), filter) if of_input else (input, np.array(filter.shape))
        attrs.pop("T", None)
        return get(takes).kernel(xp, first, second, out_backprop, **attrs)


_by_shape("Conv2DBackpropInputV2", True, "Conv2DBackpropInput", 4)
_by_shape("Conv2DBackpropFilterV2", False, "Conv2DBackpropFilter", 4)
_by_shape("Conv3DBackpropInput", True, "Conv3DBackpropInputV2", 5)
_by_shape("Conv3DBackpropFilter", False, "Conv3DBackpropFilterV2", 5)


# --- batch normalisation by given moments -----------------------------------------------------------------------------


def _normalised(xp, t, m, v, epsilon):
    """(1 / deviation, t without mean and deviation)."""
    scale = xp.rsqrt(xp.add(v, xp.const(epsilon, v)))
    return scale, xp.multiply(xp.subtract(t, m), scale)


def _global_norm_grad(attrs, inputs, outputs, cts, wanted):
    t, m, v, _, gamma = inputs
    own = {k: attrs[k] for k in ("variance_epsilon", "scale_after_normalization")}
    dx, dm, dv, db, dg = run("BatchNormWithGlobalNormalizationGrad", t, m, v, gamma, cts[0], **own)
    return dx, dm, dv, db, dg


@op("BatchNormWithGlobalNormalization", shape=rules.same_of_rank(4), grad_tensors=_global_norm_grad)
def batch_norm_global(xp, t, m, v, beta, gamma, variance_epsilon, scale_after_normalization):
    _, normal = _normalised(xp, t, m, v, variance_epsilon)
    return xp.add(xp.multiply(normal, gamma) if scale_after_normalization else normal, beta)


def _global_norm_grad_shape(f):
    channels = (f.shapes[0] and f.shapes[0][3],)
    return [f.shapes[0] or (None,) * 4, *[channels] * 4]


@op("BatchNormWithGlobalNormalizationGrad", shape=_global_norm_grad_shape, grad=NO_GRADIENT)
def batch_norm_global_grad(xp, t, m, v, gamma, backprop, variance_epsilon, scale_after_normalization):
    """The cotangents of all five operands; that of gamma is zero where it is not used."""
    axes = (0, 1, 2)
    scale, normal = _normalised(xp, t, m, v, variance_epsilon)
    of_gamma = xp.sum(xp.multiply(backprop, normal), axes, False)
    of_normal = xp.multiply(backprop, gamma) if scale_after_normalization else backprop
    dx = xp.multiply(of_normal, scale)
    dv = xp.multiply(
        xp.sum(xp.multiply(of_normal, normal), axes, False), xp.multiply(xp.const(-0.5, v), xp.square(scale))
    )
    dg = of_gamma if scale_after_normalization else xp.zeros_like(gamma)
    return dx, xp.negative(xp.sum(dx, axes, False)), dv, xp.sum(backprop, axes, False), dg


# --- nearest rows and largest entries ---------------------------------------------------------------------------------


@op("NearestNeighbors", shape=lambda f: [None, None], static=("k",), grad=NO_GRADIENT)
def nearest_neighbors(xp, points, centers, k):
    """For each point the `k` nearest centers, and the squares of their distances."""
    for name, rows in (("points", points), ("centers", centers)):
        if rows.ndim != 2:
            raise ValueError(f"Input {name} should be a matrix.")
    require.scalar("k", k)
    if k < 0:
        raise ValueError(f"k must be at least 0, got {k}")
    if points.shape[1] != centers.shape[1]:
        raise ValueError(f"Expected point_dimensions == center_dimensions: {points.shape[1]} vs {centers.shape[1]}.")
    if not len(points):
        raise ValueError("Expected points.rows() > 0.")
    inner = xp.matmul(points, xp.matrix_transpose(centers))
    lengths = [xp.sum(xp.square(v), -1) for v in (points, centers)]
    doubled = xp.multiply(inner, xp.const(2, inner))
    squares = xp.add(xp.subtract(xp.expand_dims(lengths[0], 1), doubled), xp.expand_dims(lengths[1], 0))
    squares = xp.maximum(squares, xp.const(0, squares))
    count = min(int(k), centers.shape[0])
    values, indices = xp.top_k(xp.negative(squares), count)
    return xp.cast(indices, np.dtype(np.int64)), xp.negative(values)


@op("SparseMatMul", shape=rules.matmul, trace_check=traced.product)
def sparse_mat_mul(xp, a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False):
    """A product in 32 bits; the hints that an operand is mostly 0 change nothing."""
    a, b = (xp.cast(v, np.dtype(np.float32)) for v in (a, b))
    return xp.matmul(xp.matrix_transpose(a) if transpose_a else a, xp.matrix_transpose(b) if transpose_b else b)


# --- convolutions by number of axes -----------------------------------------------------------------------------------

_LAYOUTS = {
    ("CHANNELS_LAST", 2): "NHWC", ("CHANNELS_FIRST", 2): "NCHW", ("CHANNELS_LAST", 3): "NDHWC",
    ("CHANNELS_FIRST", 3): "NCDHW",
}


def _conv_shape(f):
    dims = f.shapes[0]
    return [None if dims is None else (None,) * len(dims)]


@op("Conv", shape=_conv_shape, heavy=True)
def conv(
    xp, input, filter, strides, padding, explicit_paddings=(), data_format="CHANNELS_LAST", dilations=(), batch_dims=1,
    groups=1,
):
    """A convolution over two or three axes, whichever the filter has; all axes before them are the batch."""
    spatial = filter.ndim - 2
    channels = input.shape[-1 if data_format == "CHANNELS_LAST" else -1 - spatial]
    if groups != 1 and filter.shape[-2] * groups != channels:
        raise errors.InvalidArgumentError(
            None, None,
            f"A filter for {filter.shape[-2]} channels in {groups} groups does not fit an input of {channels} channels."
        )
    if spatial not in (2, 3):
        raise errors.InvalidArgumentError(None, None, f"Filter must have 4 or 5 dimensions, but has {filter.ndim}")
    if input.ndim != batch_dims + spatial + 1:
        raise errors.InvalidArgumentError(
            None, None,
            f"Input must have {batch_dims + spatial + 1} dimensions with batch_dims={batch_dims}, but has {input.ndim}",
        )
    batch = input.shape[:batch_dims]
    flat = input if batch_dims == 1 else xp.reshape(input, (-1, *input.shape[batch_dims:]))
    out = get(f"Conv{spatial}D").kernel(
        xp, flat, filter, strides, padding, explicit_paddings, _LAYOUTS[data_format, spatial], dilations or None
    )
    return out if batch_dims == 1 else xp.reshape(out, (*batch, *out.shape[1:]))


# --- the greatest elements --------------------------------------------------------------------------------------------


def _approx_shape(f):
    dims, axis = f.shapes[0], f.attrs["reduction_dimension"]
    if dims is None:
        return [None, None]
    out = list(dims)
    out[axis] = f.attrs["k"]
    return [tuple(out)] * 2


def _last(xp, x, axis):
    """`x` with one axis in the place of the last; the same again undoes it."""
    order = list(range(x.ndim))
    order[axis], order[-1] = order[-1], order[axis]
    return x if order == sorted(order) else xp.transpose(x, tuple(order))


@op("ApproxTopK", shape=_approx_shape)
def approx_top_k(xp, input, k, reduction_dimension=-1, is_max_k=True):
    """The k greatest elements of an axis, or the smallest: exactly, as on TensorFlow's CPU."""
    x = _last(xp, input, reduction_dimension)
    if k > x.shape[-1]:
        raise errors.InvalidArgumentError(
            None, None, f"input must have last dimension >= k = {k} but was {x.shape[-1]}"
        )
    values, indices = xp.top_k(x if is_max_k else xp.negative(x), k)
    values = values if is_max_k else xp.negative(values)
    return _last(xp, values, reduction_dimension), _last(xp, xp.cast(indices, np.dtype(np.int32)), reduction_dimension)
