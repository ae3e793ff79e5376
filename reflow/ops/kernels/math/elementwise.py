"""Elementwise ops that are neither unary nor binary arithmetic: casts, selection, sums of lists, clipping.

The others are in `unary.py` and `binary.py`.
"""

from __future__ import annotations

import itertools

import numpy as np

from reflow.core import dtypes, errors
from reflow.ops import batching
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.from_python import short_name
from reflow.ops.kernels.math import binary as math_binary  # noqa: F401 - registers their ops
from reflow.ops.kernels.math import gradient_ops as math_gradient_ops  # noqa: F401 - registers their ops
from reflow.ops.kernels.math import special as math_special  # noqa: F401 - registers their ops
from reflow.ops.kernels.math import unary as math_unary  # noqa: F401 - registers their ops
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op


@math_unary.unary_op(
    "Cast", value=rules.value_cast, needs=("x",),
    grad=lambda xp, attrs, inputs, outputs, cts, wanted: (xp.cast(cts[0], inputs[0].dtype),),
)
def cast(xp, x, DstT, Truncate=False):
    if (x.dtype == object) != DstT.is_host_only:
        source = dtypes.FROM_NUMPY[np.dtype(x.dtype)]
        names = " to ".join(short_name(d) for d in (source, DstT))
        raise errors.UnimplementedError(None, None, f"Cast {names} is not supported")
    return xp.cast(x, DstT.np_dtype)


# --- selection ------------------------------------------------------------------------------------------------------


def _select_grad(xp, attrs, inputs, outputs, cts, wanted):
    condition, t, e = inputs
    (g,) = cts
    zero = xp.const(0, g)
    return (
        None,
        xp.sum_to_like(xp.select(condition, g, zero), t) if wanted[1] else None,
        xp.sum_to_like(xp.select(condition, zero, g), e) if wanted[2] else None,
    )


@op(
    "SelectV2", shape=rules.broadcast_3, value=rules.value_select, grad=_select_grad, needs=("condition", "t", "e"),
    elementwise=True,
)
def select_v2(xp, condition, t, e):
    return xp.select(condition, t, e)


def _select_shape(f):
    condition, t, e = f.shapes
    if (
        t is not None
        and e is not None
        and (len(t) != len(e) or any(a != b and None not in (a, b) for a, b in zip(t, e, strict=True)))
    ):
        raise ValueError(f"Dimension sizes of 'then' and 'else' differ: {rules.text(t)} vs. {rules.text(e)}")
    return [t if e is None else e if t is None else tuple(b if a is None else a for a, b in zip(t, e, strict=True))]


def _row_select_grad(xp, attrs, inputs, outputs, cts, wanted):
    (condition, _, _), (g,) = inputs, cts
    zeros = xp.zeros_like(g)
    mask = xp.broadcast_rows(condition, g)
    return (None, xp.select(mask, g, zeros) if wanted[1] else None, xp.select(mask, zeros, g) if wanted[2] else None)


@op("Select", shape=_select_shape, grad=_row_select_grad, needs=("condition",), trace_check=traced.select)
def select(xp, condition, t, e):
    """The condition has the shape of the branches, or is a scalar, or a vector that chooses rows."""
    return xp.select(xp.broadcast_rows(condition, t), t, e)


# --- sums of lists, clipping ----------------------------------------------------------------------------------------


def _merged_shape(f):
    out = f.shapes[0]
    for dims in f.shapes[1:]:
        try:
            out = rules.merge(out, dims)
        except ValueError:
            raise ValueError(
                f"Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: "
                f"{rules.text(f.shapes[0])} != input {f.shapes.index(dims)}: {rules.text(dims)}"
            ) from None
    return [out]


def _to_each(xp, attrs, inputs, outputs, cts, wanted):
    return (cts[0],) * len(inputs)


def _add_all(xp, inputs):
    if any(x.shape != inputs[0].shape for x in inputs):
        raise ValueError("Inputs to operation AddN must have the same size and shape.")
    total = inputs[0]
    for x in inputs[1:]:
        total = xp.add(total, x)
    return total


_SUM = {
    "shape": _merged_shape,
    "grad": _to_each,
    "needs": (),
    "elementwise": True,
    "addition": True,
    "batch": batching.equal_shapes,
    "trace_words": traced.merge_all,
}


@op("AddN", variants=True, naming=Naming(reads_first=True), **_SUM)
def add_n(xp, inputs):
    if not hasattr(inputs[0], "ndim"):  # variants: tensor lists and their like say how they are added
        total = inputs[0]
        for x in inputs[1:]:
            total = total.add(x)
        return total
    return _add_all(xp, inputs)


@op("AccumulateNV2", **_SUM)
def accumulate_n(xp, inputs, shape=None):
    return _add_all(xp, inputs)


def _clip_grad(xp, attrs, inputs, outputs, cts, wanted):
    t, low, high = inputs
    (g,) = cts
    zero = xp.const(0, g)
    below, above = xp.less(t, low), xp.greater(t, high)
    return (
        xp.select(xp.logical_or(below, above), zero, g) if wanted[0] else None,
        xp.sum_to_like(xp.select(below, g, zero), low) if wanted[1] else None,
        xp.sum_to_like(xp.select(above, g, zero), high) if wanted[2] else None,
    )


@op(
    "ClipByValue", shape=rules.same, grad=_clip_grad, needs=("t", "clip_value_min", "clip_value_max"), elementwise=True,
    batch=batching.equal_shapes,
)
def clip_by_value(xp, t, clip_value_min, clip_value_max):
    for name, bound in (("clip_value_min", clip_value_min), ("clip_value_max", clip_value_max)):
        if bound.ndim and bound.shape != t.shape:
            raise ValueError(
                f"{name} must be a scalar or have the shape of the input, {rules.text(t.shape)}; got "
                f"{rules.text(bound.shape)}"
            )
    return xp.maximum(xp.minimum(t, clip_value_max), clip_value_min)


def _betainc_grad(xp, attrs, inputs, outputs, cts, wanted):
    """TensorFlow differentiates by x alone."""
    a, b, x = inputs
    one = xp.const(1, x)
    log_beta = xp.subtract(xp.add(xp.lgamma(a), xp.lgamma(b)), xp.lgamma(xp.add(a, b)))
    upper = xp.multiply(xp.subtract(b, one), xp.log1p(xp.negative(x)))
    log_slope = xp.add(upper, xp.multiply(xp.subtract(a, one), xp.log(x)))
    return (None, None, xp.sum_to_like(xp.multiply(cts[0], xp.exp(xp.subtract(log_slope, log_beta))), x))


@op(
    "Betainc", shape=rules.broadcast_3, grad=_betainc_grad, needs=("a", "b", "x"), nondiff=("a", "b"), elementwise=True,
    trace_check=traced.equal_shapes_or_scalars,
)
def betainc(xp, a, b, x):
    return xp.betainc(a, b, x)


@math_unary.unary_op("Bucketize", grad=NO_GRADIENT)
def bucketize(xp, input, boundaries):
    if any(b < a for a, b in itertools.pairwise(boundaries)):
        raise ValueError("Expected sorted boundaries")
    wide = input.dtype if input.dtype == dtypes.float64.np_dtype else dtypes.float32.np_dtype
    values = xp.reshape(xp.cast(input, wide), (-1,))
    found = xp.searchsorted(xp.asarray(boundaries, wide), values, "right", dtypes.int32.np_dtype)
    return xp.reshape(found, input.shape)
