"""Neural network ops: activations, softmax, biases, cross entropies, normalization.

TensorFlow has an op for the gradient of each activation (`ReluGrad`, ...). They have records here too, so that real
TensorFlow graphs can be imported; our own reverse pass uses the same formulas directly. Formulas of several steps widen
16-bit floats first (`_widened`), so that they round once.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import batching, require
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.math.unary import unary_op
from reflow.ops.kernels.nn import trace_checks as traced
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.trace_words import broadcastable
from reflow.ops.xp.dtype_facts import is_narrow

F32 = np.dtype(np.float32)
I32 = np.dtype(np.int32)
_SELU_SCALE, _SELU_SCALE_ALPHA = 1.0507009873554805, 1.7580993408473768


def _widened(function):
    """A kernel that computes 16-bit floats in float32; all array arguments of the first one's dtype are widened."""

    def kernel(xp, x, *rest):
        dtype = x.dtype
        if not is_narrow(dtype):
            return function(xp, x, *rest)
        args = [xp.cast(a, F32) if a.dtype == dtype else a for a in rest]
        out = function(xp, xp.cast(x, F32), *args)
        return tuple(xp.cast(o, dtype) for o in out) if isinstance(out, tuple) else xp.cast(out, dtype)

    return kernel


def _zero(xp, x):
    return xp.const(0, x)


# --- activations: f and its cotangent, given the cotangent g and the input x or the output y --------------------------


def _relu_ct(xp, g, y):
    fused = xp.fused_relu_grad(g, y)
    return fused if fused is not None else xp.select(xp.greater(y, _zero(xp, y)), g, xp.zeros_like(g))


def _relu6_ct(xp, g, y):
    inside = xp.logical_and(xp.greater(y, _zero(xp, y)), xp.less(y, xp.const(6, y)))
    return xp.select(inside, g, xp.zeros_like(g))


def _leaky_ct(xp, g, x, alpha):
    alpha = float(np.float32(alpha))
    return xp.select(xp.greater(x, _zero(xp, x)), g, xp.multiply(g, xp.const(alpha, g)))


def _elu_ct(xp, g, y):
    return xp.select(xp.less(y, _zero(xp, y)), xp.multiply(g, xp.add(y, xp.const(1, y))), g)


def _selu_ct(xp, g, y):
    return xp.select(
        xp.less(y, _zero(xp, y)),
        xp.multiply(g, xp.add(y, xp.const(_SELU_SCALE_ALPHA, y))),
        xp.multiply(g, xp.const(_SELU_SCALE, g)),
    )


def _softplus_ct(xp, g, x):
    return xp.multiply(g, xp.sigmoid(x))


def _softsign_ct(xp, g, x):
    return xp.divide(g, xp.square(xp.add(xp.abs(x), xp.const(1, x))))


def _by_output(ct):
    return lambda xp, attrs, inputs, outputs, cts, wanted: (ct(xp, cts[0], outputs[0]),)


def _by_input(ct):
    return lambda xp, attrs, inputs, outputs, cts, wanted: (ct(xp, cts[0], inputs[0]),)


def _through(grad_name, of_output):
    """The gradient as one of TensorFlow's gradient ops, on tensors. Its own gradient exists, if only as zeros."""

    def grad_tensors(attrs, inputs, outputs, cotangents, wanted):
        own = {"alpha": attrs["alpha"]} if "alpha" in attrs else {}
        return [run(grad_name, cotangents[0], outputs[0] if of_output else inputs[0], **own)]

    return grad_tensors


def _activation(name, ct, needs):
    """The facts of an activation whose cotangent is a function of its output or its input."""
    of_output = needs == "activations"
    return unary_op(
        name, grad=(_by_output if of_output else _by_input)(ct), needs=(needs,),
        grad_tensors=_through(name + "Grad", of_output),
    )


@_activation("Relu", _relu_ct, "activations")
def relu(xp, features):
    return xp.relu(features)


@_activation("Relu6", _relu6_ct, "activations")
def relu6(xp, features):
    return xp.minimum(xp.relu(features), xp.const(6, features))


def _leaky_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (_leaky_ct(xp, cts[0], inputs[0], attrs.get("alpha", 0.2)),)


@unary_op("LeakyRelu", grad=_leaky_grad, needs=("features",), grad_tensors=_through("LeakyReluGrad", False))
def leaky_relu(xp, features, alpha=0.2):
    alpha = float(np.float32(alpha))  # attributes are float32, also for float64 tensors
    return xp.select(
        xp.greater(features, _zero(xp, features)), features, xp.multiply(features, xp.const(alpha, features))
    )


@_activation("Elu", _elu_ct, "activations")
def elu(xp, features):
    return xp.select(xp.less(features, _zero(xp, features)), xp.expm1(features), features)


@_activation("Selu", _selu_ct, "activations")
def selu(xp, features):
    scale, scale_alpha = xp.const(_SELU_SCALE, features), xp.const(_SELU_SCALE_ALPHA, features)
    return xp.select(
        xp.less(features, _zero(xp, features)),
        xp.multiply(scale_alpha, xp.expm1(features)),
        xp.multiply(scale, features),
    )


@_activation("Softplus", _softplus_ct, "features")
def softplus(xp, features):
    return xp.softplus(features)


@_activation("Softsign", _softsign_ct, "features")
def softsign(xp, features):
    return xp.divide(features, xp.add(xp.abs(features), xp.const(1, features)))


# --- the gradient ops of activations ----------------------------------------------------------------------------------


def _only_first(ct):
    """The gradient of a gradient op that is linear in its first input and piecewise constant in its second."""
    return lambda xp, attrs, inputs, outputs, cts, wanted: (ct(xp, cts[0], inputs[1]), xp.zeros_like(inputs[1]))


def _gradient_op(name, **facts):
    """The record of TensorFlow's own gradient op of an activation, of a cotangent and the input or output."""
    return op(
        name, shape=rules.same, elementwise=True, batch=batching.equal_shapes, trace_check=traced.equal_shapes, **facts
    )


@_gradient_op("ReluGrad", grad=_only_first(_relu_ct), needs=("features",))
def relu_grad(xp, gradients, features):
    return _relu_ct(xp, gradients, features)


@_gradient_op("Relu6Grad", grad=_only_first(_relu6_ct), needs=("features",))
def relu6_grad(xp, gradients, features):
    return _relu6_ct(xp, gradients, features)


def _leaky_grad_grad(xp, attrs, inputs, outputs, cts, wanted):
    return _leaky_ct(xp, cts[0], inputs[1], attrs.get("alpha", 0.2)), xp.zeros_like(inputs[1])


@_gradient_op("LeakyReluGrad", grad=_leaky_grad_grad, needs=("features",))
def leaky_relu_grad(xp, gradients, features, alpha=0.2):
    return _leaky_ct(xp, gradients, features, alpha)


def _where_negative(ct):
    def grad(xp, attrs, inputs, outputs, cts, wanted):
        (g,), (gradients, y) = cts, inputs
        both = xp.multiply(g, gradients)
        return ct(xp, g, y), xp.select(xp.less(y, _zero(xp, y)), both, xp.zeros_like(both))

    return grad


@_gradient_op("EluGrad", grad=_where_negative(_elu_ct), needs=("gradients", "outputs"))
def elu_grad(xp, gradients, outputs):
    return _elu_ct(xp, gradients, outputs)


@_gradient_op("SeluGrad", grad=_where_negative(_selu_ct), needs=("gradients", "outputs"))
def selu_grad(xp, gradients, outputs):
    return _selu_ct(xp, gradients, outputs)


def _softplus_grad_grad(xp, attrs, inputs, outputs, cts, wanted):
    (g,), (gradients, x) = cts, inputs
    s = xp.sigmoid(x)
    slope = xp.multiply(s, xp.subtract(xp.const(1, s), s))
    return _softplus_ct(xp, g, x), xp.multiply(xp.multiply(g, gradients), slope)


@_gradient_op("SoftplusGrad", grad=_softplus_grad_grad, needs=("gradients", "features"))
def softplus_grad(xp, gradients, features):
    return _softplus_ct(xp, gradients, features)


def _softsign_grad_grad(xp, attrs, inputs, outputs, cts, wanted):
    (g,), (gradients, x) = cts, inputs
    base = xp.add(xp.abs(x), xp.const(1, x))
    cube = xp.multiply(base, xp.square(base))
    slope = xp.divide(xp.multiply(xp.const(-2, x), xp.sign(x)), cube)
    return _softsign_ct(xp, g, x), xp.multiply(xp.multiply(g, gradients), slope)


@_gradient_op("SoftsignGrad", grad=_softsign_grad_grad, needs=("gradients", "features"))
def softsign_grad(xp, gradients, features):
    return _softsign_ct(xp, gradients, features)


# --- softmax ----------------------------------------------------------------------------------------------------------


def _shifted(xp, x):
    return xp.subtract(x, xp.max(x, -1, True))


def _softmax(xp, x):
    e = xp.exp(_shifted(xp, x))
    return xp.divide(e, xp.sum(e, -1, True))


def _log_softmax(xp, x):
    x = _shifted(xp, x)
    return xp.subtract(x, xp.log(xp.sum(xp.exp(x), -1, True)))


def _softmax_ct(xp, g, y):
    return xp.multiply(xp.subtract(g, xp.sum(xp.multiply(g, y), -1, True)), y)


def _log_softmax_ct(xp, g, y):
    return xp.subtract(g, xp.multiply(xp.sum(g, -1, True), xp.exp(y)))


def _of_rows(compute, xp, logits):
    if not logits.ndim:
        raise ValueError("logits must have >= 1 dimension, got []")
    return _widened(compute)(xp, logits)


@op("Softmax", fits="1+", shape=rules.same, grad=_by_output(_softmax_ct), needs=("softmax",))
def softmax(xp, logits):
    return _of_rows(_softmax, xp, logits)


@op("LogSoftmax", fits="1+", shape=rules.same, grad=_by_output(_log_softmax_ct), needs=("logsoftmax",))
def log_softmax(xp, logits):
    return _of_rows(_log_softmax, xp, logits)


# --- biases -----------------------------------------------------------------------------------------------------------


def _channels_first(data_format) -> bool:
    return data_format is not None and data_format.startswith("NC")


def _sum_to_channels(xp, g, data_format):
    rank = xp.ndim(g)
    channel = 1 if _channels_first(data_format) else rank - 1
    return xp.sum(g, tuple(i for i in range(rank) if i != channel))


def _bias_add_grad(xp, attrs, inputs, outputs, cts, wanted):
    (g,) = cts
    return g, _sum_to_channels(xp, g, attrs.get("data_format")) if wanted[1] else None


def _bias_add_tensors(attrs, inputs, outputs, cotangents, wanted):
    (g,) = cotangents
    own = {"data_format": attrs["data_format"]} if "data_format" in attrs else {}
    return [g, run("BiasAddGrad", g, **own) if wanted[1] else None]


@op(
    "BiasAdd", shape=rules.bias_add, grad=_bias_add_grad, grad_tensors=_bias_add_tensors, needs=(),
    trace_check=traced.bias,
)
def bias_add(xp, value, bias, data_format="NHWC"):
    if bias.ndim != 1:
        raise ValueError(f"Biases must be 1D: {rules.text(bias.shape)}")
    channel = 1 if _channels_first(data_format) else value.ndim - 1
    if value.ndim < 2 or value.shape[channel] != bias.shape[0]:
        raise ValueError(
            f"Must provide as many biases as the last dimension of the input tensor: {rules.text(bias.shape)} "
            f"vs. {rules.text(value.shape)}"
        )
    if channel == 1 and value.ndim > 2:
        bias = xp.reshape(bias, (bias.shape[0],) + (1,) * (value.ndim - 2))
    return xp.add(value, bias)


@op("BiasAddV1", shape=rules.bias_add, grad=_bias_add_grad, needs=(), trace_check=traced.bias)
def bias_add_v1(xp, value, bias):
    return bias_add.kernel(xp, value, bias)


def _bias_grad_shape(f):
    dims = f.shapes[0]
    if dims is None:
        return [(None,)]
    return [(dims[1] if _channels_first(f.attr("data_format")) else dims[-1],)]


def _bias_add_grad_grad(xp, attrs, inputs, outputs, cts, wanted):
    (g,), (x,) = cts, inputs
    if _channels_first(attrs.get("data_format")) and xp.ndim(x) > 2:
        g = xp.expand_dims(g, tuple(range(1, xp.ndim(x) - 1)))
    return (xp.broadcast_like(g, x),)


def _sums_rows(attrs) -> bool:
    return attrs.get("data_format") != "NCHW"


@op("BiasAddGrad", fits="2+", shape=_bias_grad_shape, grad=_bias_add_grad_grad, sums_rows=_sums_rows)
def bias_add_grad(xp, out_backprop, data_format="NHWC"):
    if out_backprop.ndim < 2:
        raise ValueError(f"Input tensor must be at least 2D: {rules.text(out_backprop.shape)}")
    return _sum_to_channels(xp, out_backprop, data_format)


# --- losses -----------------------------------------------------------------------------------------------------------


def _l2_loss_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (xp.multiply(inputs[0], cts[0]),)


@op("L2Loss", shape=rules.scalar, grad=_l2_loss_grad, needs=("t",))
def l2_loss(xp, t):
    return _widened(lambda xp, x: xp.multiply(xp.sum(xp.square(x), None), xp.const(0.5, x)))(xp, t)


def _column(xp, g):
    return xp.expand_dims(g, (1,))


def _entropy_ct(xp, features, backprop, cts):
    """The cotangent of the logits, given those of the loss and of its gradient (an output too, for second order)."""
    g, gg = cts
    total = None if g is None else xp.multiply(_column(xp, g), backprop)
    if gg is None:
        return total
    second = _softmax_ct(xp, gg, _softmax(xp, features))
    return second if total is None else xp.add(total, second)


def _sparse_entropy_grad(xp, attrs, inputs, outputs, cts, wanted):
    return _entropy_ct(xp, inputs[0], outputs[1], cts), None


def _check_labels(xp, attrs, features, labels):
    if len(xp.shape(features)) != 2:
        return []
    return [(xp.all_below(labels, xp.shape(features)[1]), _bad_label)]


def _bad_label(features, labels):
    classes = features.shape[1]
    bad = labels.min() if labels.min() < 0 else labels.max()
    shown = " ".join(map(str, labels.reshape(-1).tolist()))
    return f"Received a label value of {bad} which is outside the valid range of [0, {classes}).  Label values: {shown}"


def _sparse_entropy(xp, x, labels):
    x = _shifted(xp, x)
    e = xp.exp(x)
    total = xp.sum(e, -1, True)
    classes = xp.reshape(xp.iota(x.shape[1], labels.dtype), (1, x.shape[1]))
    hit = xp.equal(_column(xp, labels), classes)
    # a label without a class gives NaN under `jit_compile`, where labels are not checked; elsewhere the check has
    # raised
    total = xp.select(xp.any(hit, -1, True), total, xp.const(np.nan, x))
    zero = xp.const(0, x)
    loss = xp.subtract(xp.log(xp.reshape(total, (x.shape[0],))), xp.sum(xp.select(hit, x, zero), -1))
    backprop = xp.subtract(xp.divide(e, total), xp.select(hit, xp.const(1, x), zero))
    return loss, backprop


@op(
    "SparseSoftmaxCrossEntropyWithLogits", fits="[n,_] [n]", shape=rules.sparse_cross_entropy,
    grad=_sparse_entropy_grad, needs=("features", "backprop"), checks=(_check_labels,),
)
def sparse_softmax_cross_entropy(xp, features, labels):
    if features.ndim != 2:
        raise ValueError(f"logits must be 2-D, but got shape {rules.text(features.shape)}")
    if labels.ndim != 1:
        raise ValueError(f"labels must be 1-D, but got shape {rules.text(labels.shape)}")
    if features.shape[0] != labels.shape[0]:
        raise ValueError(
            f"logits and labels must have the same first dimension, got logits shape {rules.text(features.shape)} "
            f"and labels shape {rules.text(labels.shape)}"
        )
    return _widened(_sparse_entropy)(xp, features, labels)


def _entropy_grad(xp, attrs, inputs, outputs, cts, wanted):
    x, backprop = inputs[0], outputs[1]
    if x.shape != backprop.shape:  # one number, or one column, for all classes
        x = xp.add(x, xp.zeros_like(backprop))
    of_labels = None
    if wanted[1] and cts[0] is not None:
        of_labels = xp.sum_to_like(xp.multiply(_column(xp, cts[0]), xp.negative(_log_softmax(xp, x))), inputs[1])
    of_logits = _entropy_ct(xp, x, backprop, cts) if wanted[0] else None
    return None if of_logits is None else xp.sum_to_like(of_logits, inputs[0]), of_labels


def _entropy(xp, x, labels):
    x = _shifted(xp, x)
    e = xp.exp(x)
    total = xp.sum(e, -1, True)
    loss = xp.sum(xp.multiply(labels, xp.subtract(xp.log(total), x)), -1)
    return loss, xp.subtract(xp.divide(e, total), labels)


@op(
    "SoftmaxCrossEntropyWithLogits", shape=rules.cross_entropy, grad=_entropy_grad,
    trace_check=lambda f: broadcastable(f.shapes), needs=("features", "labels", "backprop"),
    naming=Naming("softmax_cross_entropy_with_logits"),
)
def softmax_cross_entropy(xp, features, labels):
    try:
        dims = np.broadcast_shapes(features.shape, labels.shape)
    except ValueError:
        sizes = f"logits_size={rules.text(features.shape)} labels_size={rules.text(labels.shape)}"
        raise ValueError(f"logits and labels must be broadcastable: {sizes}") from None
    loss, backprop = _widened(_entropy)(
        xp, features if features.shape == dims else xp.broadcast_to(features, dims), labels
    )
    if backprop.ndim != 2:
        raise ValueError("logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional")
    return loss, backprop


@op("InTopKV2", shape=rules.same_of_rank(1, 1), grad=NO_GRADIENT, trace_check=traced.in_top_k)
def in_top_k(xp, predictions, targets, k):
    """Whether each target's prediction is finite, its index valid, and fewer than k predictions exceed it."""
    require.scalar("k", k)
    require.vector("targets", targets)
    classes = predictions.shape[1]
    valid = xp.logical_and(
        xp.greater_equal(targets, xp.const(0, targets)), xp.less(targets, xp.const(classes, targets))
    )
    safe = xp.select(valid, targets, xp.zeros_like(targets))
    value = xp.take_along_axis(predictions, xp.cast(_column(xp, safe), I32), 1)
    finite = xp.isfinite(predictions)
    bigger = xp.sum(xp.cast(xp.logical_and(xp.greater(predictions, value), finite), k.dtype), 1)
    spoiled = xp.any(xp.logical_not(finite), 1)
    good = xp.logical_and(xp.logical_and(valid, xp.less(bigger, k)), xp.isfinite(xp.reshape(value, targets.shape)))
    return xp.logical_and(good, xp.logical_or(xp.logical_not(spoiled), good))


# --- normalisation ----------------------------------------------------------------------------------------------------


def _window_sums(xp, x, radius):
    """Sums over channels c - radius .. c + radius, zero outside."""
    depth = x.shape[-1]
    near = np.abs(np.arange(depth)[:, None] - np.arange(depth)[None, :]) <= radius
    flat = xp.reshape(x, (-1, depth))
    return xp.reshape(xp.matmul(flat, xp.asarray(near.astype(x.dtype), x.dtype)), x.shape)


def _check_radius(depth_radius: int) -> None:
    if not 0 <= depth_radius < 2**31 - 1:
        raise ValueError(f"depth_radius = {depth_radius} larger than int max")


def _lrn_norm(xp, x, depth_radius, bias, alpha):
    return xp.add(xp.const(bias, x), xp.multiply(xp.const(alpha, x), _window_sums(xp, xp.square(x), depth_radius)))


def _lrn(xp, x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    return xp.multiply(x, xp.power(_lrn_norm(xp, x, depth_radius, bias, alpha), xp.const(-beta, x)))


def _lrn_ct(xp, g, x, y, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    norm = _lrn_norm(xp, x, depth_radius, bias, alpha)
    spread = _window_sums(xp, xp.divide(xp.multiply(g, y), norm), depth_radius)
    direct = xp.multiply(g, xp.power(norm, xp.const(-beta, x)))
    return xp.subtract(direct, xp.multiply(xp.const(2 * alpha * beta, x), xp.multiply(x, spread)))


def _lrn_tensors(attrs, inputs, outputs, cotangents, wanted):
    own = {k: attrs[k] for k in ("depth_radius", "bias", "alpha", "beta") if k in attrs}
    return [dispatch(lrn_grad, [cotangents[0], inputs[0], outputs[0]], own)]


def _lrn_grad(xp, attrs, inputs, outputs, cts, wanted):
    own = {k: attrs[k] for k in ("depth_radius", "bias", "alpha", "beta") if k in attrs}
    return (lrn_grad.kernel(xp, cts[0], inputs[0], outputs[0], **own),)


@op("LRN", fits="4", shape=rules.same_of_rank(4), grad=_lrn_grad, grad_tensors=_lrn_tensors)
def lrn(xp, input, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    require.rank(4, input=input)
    _check_radius(depth_radius)
    wide = xp.cast(input, F32) if is_narrow(input.dtype) else input
    return xp.cast(_lrn(xp, wide, depth_radius, bias, alpha, beta), input.dtype)


@op("LRNGrad", shape=rules.same_of_rank(4), trace_check=traced.equal_images)
def lrn_grad(xp, input_grads, input_image, output_image, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    require.rank(4, input_grads=input_grads, input_image=input_image, output_image=output_image)
    _check_radius(depth_radius)
    g, x, y = [xp.cast(a, F32) if is_narrow(a.dtype) else a for a in (input_grads, input_image, output_image)]
    return xp.cast(_lrn_ct(xp, g, x, y, depth_radius, bias, alpha, beta), input_grads.dtype)
