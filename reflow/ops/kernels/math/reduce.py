"""Reductions along axes, running reductions, arg-extrema. Reductions by segment are in `segment`.

The axes of a reduction are an operand, always a value (`static`). Maxima share their gradient evenly among ties.
"""

from __future__ import annotations

from reflow.core import dtypes
from reflow.ops import batching, require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.kernels.math import segment  # noqa: F401 - registers its ops
from reflow.ops.kernels.math.unary import conj
from reflow.ops.registry import NO_GRADIENT, op

STATIC_AXES = {
    "shape": rules.reduce,
    "static": ("reduction_indices",),
    "trace_words": traced.reduce,
    "batch": batching.along_axes,
}


def axes_of(axis) -> tuple:
    """A static operand of axes (0-d or a vector) as Python ints."""
    return tuple(axis.reshape(-1).tolist())


def _checked(x, axis) -> tuple:
    axes = rules.normal_axes(axes_of(axis), x.ndim)
    if len(set(axes)) < len(axes):
        duplicate = next(a for i, a in enumerate(axes) if a in axes[:i])
        raise ValueError(f"Invalid reduction arguments: Axes contains duplicate dimension: {duplicate}")
    return axes


# --- sums and products ----------------------------------------------------------------------------------------------


def _sum_grad(xp, attrs, inputs, outputs, cts, wanted):
    x, axis = inputs
    return (xp.unreduce(cts[0], x, axis, attrs.get("keep_dims", False)), None)


@op(
    "Sum", fits="* 1-", grad=_sum_grad, needs=("input", "reduction_indices"), shape_only=("input",),
    value=rules.value_reduce(sum), **STATIC_AXES,
)
def sum_(xp, input, reduction_indices, keep_dims=False):
    return xp.sum(input, _checked(input, reduction_indices), keep_dims)


def _mean_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, axis), (y,), (g,) = inputs, outputs, cts
    return (xp.unreduce(xp.divide(g, xp.size_ratio(x, y)), x, axis, attrs.get("keep_dims", False)), None)


@op("Mean", fits="* 1-", grad=_mean_grad, shape_only=("input", "output"), **STATIC_AXES)
def mean(xp, input, reduction_indices, keep_dims=False):
    return xp.mean(input, _checked(input, reduction_indices), keep_dims)


def _prod_grad(xp, attrs, inputs, outputs, cts, wanted):
    """Axis by axis, each element gets the product of the others, which is also correct where elements are zero."""
    (x, axis), (g,) = inputs, cts
    axes = xp.static_axes(axis)
    g = xp.keep_axes(g, x, axis, attrs.get("keep_dims", False))
    partial = [x]
    for a in axes[:-1]:
        partial.append(xp.prod(partial[-1], (a,), True))
    for a, p in zip(reversed(axes), reversed(partial), strict=False):
        others = xp.multiply(xp.cumprod(p, a, True, False), xp.cumprod(p, a, True, True))
        g = xp.multiply(g, conj(xp, others))
    return (g, None)


def _product(values):
    out = 1
    for v in values:
        out *= v
    return out


@op(
    "Prod", fits="* 1-", grad=_prod_grad, needs=("input", "reduction_indices"), value=rules.value_reduce(_product),
    **STATIC_AXES,
)
def prod(xp, input, reduction_indices, keep_dims=False):
    return xp.prod(input, _checked(input, reduction_indices), keep_dims)


def _norm_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, axis), (y,), (g,) = inputs, outputs, cts
    return (xp.divide(x, xp.keep_axes(xp.divide(y, g), x, axis, attrs.get("keep_dims", False))), None)


@op("EuclideanNorm", fits="* 1-", grad=_norm_grad, **STATIC_AXES)
def euclidean_norm(xp, input, reduction_indices, keep_dims=False):
    axes = _checked(input, reduction_indices)
    wide = xp.cast(input, dtypes.float64.np_dtype) if input.dtype.kind in "iu" else input
    total = xp.sqrt(xp.sum(xp.multiply(wide, conj(xp, wide)), axes, keep_dims))
    return xp.cast(total, input.dtype)


# --- extrema --------------------------------------------------------------------------------------------------------


def _extremum_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, axis), (y,), (g,) = inputs, outputs, cts
    keep = attrs.get("keep_dims", False)
    chosen = xp.cast(xp.equal(xp.keep_axes(y, x, axis, keep), x), x.dtype)
    count = xp.sum(chosen, xp.static_axes(axis), True)
    return (xp.multiply(xp.divide(chosen, count), xp.keep_axes(g, x, axis, keep)), None)


@op("Max", fits="* 1-", grad=_extremum_grad, value=rules.value_reduce(max), **STATIC_AXES)
def max_(xp, input, reduction_indices, keep_dims=False):
    return xp.max(input, _checked(input, reduction_indices), keep_dims)


@op("Min", fits="* 1-", grad=_extremum_grad, value=rules.value_reduce(min), **STATIC_AXES)
def min_(xp, input, reduction_indices, keep_dims=False):
    return xp.min(input, _checked(input, reduction_indices), keep_dims)


@op("All", fits="* 1-", grad=NO_GRADIENT, **STATIC_AXES)
def all_(xp, input, reduction_indices, keep_dims=False):
    return xp.all(input, _checked(input, reduction_indices), keep_dims)


@op("Any", fits="* 1-", grad=NO_GRADIENT, **STATIC_AXES)
def any_(xp, input, reduction_indices, keep_dims=False):
    return xp.any(input, _checked(input, reduction_indices), keep_dims)


def _arg_axis(x, dimension):
    axis = int(dimension.reshape(()))
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"Expected dimension in the range [{-x.ndim}, {x.ndim}), but got {axis}")
    axis %= x.ndim
    if not x.shape[axis]:
        raise ValueError(f"Reduction axis {axis} is empty in shape {rules.text(x.shape)}")
    return axis


def _arg_op(name, word):
    """`ArgMax` or `ArgMin`, which is `word` in `xp`."""

    @op(
        name, fits="* 0", shape=rules.arg_reduce, static=("dimension",), grad=NO_GRADIENT,
        trace_words=traced.arg_reduce, batch=batching.along_axes,
    )
    def kernel(xp, input, dimension, output_type=dtypes.int64):
        require.scalar("dim", dimension)
        return getattr(xp, word)(input, _arg_axis(input, dimension), output_type.np_dtype)


_arg_op("ArgMax", "argmax")
_arg_op("ArgMin", "argmin")


# --- running reductions ---------------------------------------------------------------------------------------------


def _scan_axis(x, axis):
    require.scalar("axis", axis)
    axis = int(axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"ScanOp: Expected scan axis in the range [{-x.ndim}, {x.ndim}), but got {axis}")
    return axis % x.ndim


def _cumsum_grad(xp, attrs, inputs, outputs, cts, wanted):
    axis = xp.static_int(inputs[1])
    return (xp.cumsum(cts[0], axis, attrs.get("exclusive", False), not attrs.get("reverse", False)), None)


@op("Cumsum", shape=rules.same, static=("axis",), grad=_cumsum_grad, needs=("axis",), batch=batching.along_axes)
def cumsum(xp, x, axis, exclusive=False, reverse=False):
    require.scalar("ScanOp: axis", axis)
    return xp.cumsum(x, _scan_axis(x, axis), exclusive, reverse)


def _cumprod_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, axis), (y,), (g,) = inputs, outputs, cts
    total = xp.cumsum(
        xp.multiply(conj(xp, y), g), xp.static_int(axis), attrs.get("exclusive", False), not attrs.get("reverse", False)
    )
    zero = xp.const(0, x)
    none = xp.equal(x, zero)
    return (xp.select(none, zero, xp.divide(total, conj(xp, xp.select(none, xp.const(1, x), x)))), None)


@op("Cumprod", shape=rules.same, static=("axis",), grad=_cumprod_grad, batch=batching.along_axes)
def cumprod(xp, x, axis, exclusive=False, reverse=False):
    require.scalar("ScanOp: axis", axis)
    return xp.cumprod(x, _scan_axis(x, axis), exclusive, reverse)


def _logcumsumexp_grad(xp, attrs, inputs, outputs, cts, wanted):
    """Works in logarithms: the positive and the negative part of the cotangent are treated separately."""
    (x, axis), (y,), (g,) = inputs, outputs, cts
    axis, exclusive, reverse = xp.static_int(axis), attrs.get("exclusive", False), not attrs.get("reverse", False)
    zero, one = xp.const(0, g), xp.const(1, g)

    def part(g):
        some = xp.greater(g, zero)
        log = xp.select(some, xp.log(xp.select(some, g, one)), xp.lowest_like(g))
        return xp.exp(xp.add(xp.logcumsumexp(xp.subtract(log, y), axis, exclusive, reverse), x))

    return (xp.subtract(part(g), part(xp.negative(g))), None)


@op("CumulativeLogsumexp", shape=rules.same, static=("axis",), grad=_logcumsumexp_grad)
def cumulative_logsumexp(xp, x, axis, exclusive=False, reverse=False):
    return xp.logcumsumexp(x, _scan_axis(x, axis), exclusive, reverse)
