"""Fake quantization: floats rounded to what `num_bits` integers between `min` and `max` can express.

The range is *nudged* first, so that 0 is one of the values.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import batching, require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.registry import NO_GRADIENT, op


def _nudged(xp, low, high, num_bits, narrow_range):
    """(smallest, largest, step, steps per unit), each with low's shape."""
    if not 2 <= num_bits <= 16:
        raise ValueError("num_bits must be between 2 and 16, inclusive")
    first, last = (1 if narrow_range else 0), 2**num_bits - 1
    first_, last_, span = xp.const(first, low), xp.const(last, low), xp.const(last - first, low)
    reach = xp.subtract(high, low)
    step, per_unit = xp.divide(reach, span), xp.divide(span, reach)
    exact = xp.subtract(first_, xp.divide(low, step))
    zero = xp.floor(xp.add(exact, xp.const(0.5, exact)))
    zero = xp.select(xp.less(exact, first_), first_, xp.select(xp.greater(exact, last_), last_, zero))
    return xp.multiply(xp.subtract(first_, zero), step), xp.multiply(xp.subtract(last_, zero), step), step, per_unit


def _unset(xp, low, high):
    """A range of 0 to 0 has not been measured yet."""
    return xp.logical_and(xp.equal(low, xp.const(0, low)), xp.equal(high, xp.const(0, high)))


def _quantized(xp, x, low, high, num_bits, narrow_range):
    smallest, largest, step, per_unit = _nudged(xp, low, high, num_bits, narrow_range)
    half = xp.const(0.5, x)
    zero = xp.floor(xp.add(xp.multiply(xp.negative(smallest), per_unit), half))
    inside = xp.subtract(xp.maximum(xp.minimum(x, largest), smallest), smallest)
    number = xp.floor(xp.add(xp.subtract(xp.multiply(inside, per_unit), zero), half))
    return xp.select(_unset(xp, low, high), xp.const(0, x), xp.multiply(number, step))


def _cotangents(xp, g, x, low, high, num_bits, narrow_range):
    """The cotangent goes to the input inside the range, to `min` below it, and to `max` above it."""
    smallest, largest, _, _ = _nudged(xp, low, high, num_bits, narrow_range)
    unset = _unset(xp, low, high)
    below = xp.logical_and(xp.less(x, smallest), xp.logical_not(unset))
    above = xp.logical_and(xp.greater(x, largest), xp.logical_not(unset))
    none = xp.zeros_like(g)
    to_low = xp.sum_to_like(xp.select(below, g, none), low)
    to_high = xp.sum_to_like(xp.select(above, g, none), high)
    return xp.select(xp.logical_or(below, above), none, g), to_low, to_high


def _grad(xp, attrs, inputs, outputs, cts, wanted):
    x, low, high = inputs
    return _cotangents(xp, cts[0], x, low, high, attrs["num_bits"], attrs["narrow_range"])


def _channel_ends(inputs, low, high):
    if not inputs.ndim:
        raise ValueError("`inputs` must be at least rank 1")
    for name, end in (("min", low), ("max", high)):
        if end.ndim != 1:
            raise ValueError(f"`{name}` must be rank 1 but is rank {end.ndim}")
        if end.shape[0] != inputs.shape[-1]:
            raise ValueError(f"{name} has incorrect size, expected {inputs.shape[-1]} was {end.shape[0]}")


@op("FakeQuantWithMinMaxVars", fits="* 0 0", shape=rules.same, grad=_grad)
def fake_quant_with_min_max_vars(xp, inputs, min, max, num_bits=8, narrow_range=False):
    require.rank_zero(min=min, max=max)
    return _quantized(xp, inputs, min, max, num_bits, narrow_range)


@op("FakeQuantWithMinMaxVarsPerChannel", shape=rules.same, grad=_grad, trace_check=traced.per_channel)
def fake_quant_with_min_max_vars_per_channel(xp, inputs, min, max, num_bits=8, narrow_range=False):
    _channel_ends(inputs, min, max)
    return _quantized(xp, inputs, min, max, num_bits, narrow_range)


def _args_grad(xp, attrs, inputs, outputs, cts, wanted):
    low, high = (xp.asarray(attrs[name], np.dtype(np.float32)) for name in ("min", "max"))
    return _cotangents(xp, cts[0], inputs[0], low, high, attrs["num_bits"], attrs["narrow_range"])[:1]


def _ends(xp, low, high):
    """The range that attributes give, as arrays."""
    if not low < high:
        raise ValueError(f"min has to be smaller than max, was: {low:g} >= {high:g}")
    return (xp.asarray(v, np.dtype(np.float32)) for v in (low, high))


@op("FakeQuantWithMinMaxArgs", shape=rules.same, grad=_args_grad, elementwise=True)
def fake_quant_with_min_max_args(xp, inputs, min=-6.0, max=6.0, num_bits=8, narrow_range=False):
    low, high = _ends(xp, min, max)
    return _quantized(xp, inputs, low, high, num_bits, narrow_range)


@op(
    "FakeQuantWithMinMaxArgsGradient", shape=rules.same, grad=NO_GRADIENT, elementwise=True, batch=batching.equal_shapes
)
def fake_quant_with_min_max_args_gradient(xp, gradients, inputs, min=-6.0, max=6.0, num_bits=8, narrow_range=False):
    require.equal_shapes(gradients=gradients, inputs=inputs)
    low, high = _ends(xp, min, max)
    return _cotangents(xp, gradients, inputs, low, high, num_bits, narrow_range)[0]


@op(
    "FakeQuantWithMinMaxVarsGradient", fits="* * 0 0", shape=lambda f: [f.shapes[0], (), ()], grad=NO_GRADIENT,
    trace_check=traced.first_two_equal,
)
def fake_quant_with_min_max_vars_gradient(xp, gradients, inputs, min, max, num_bits=8, narrow_range=False):
    require.rank_zero(min=min, max=max)
    return _cotangents(xp, gradients, inputs, min, max, num_bits, narrow_range)


@op(
    "FakeQuantWithMinMaxVarsPerChannelGradient", fits="1+ * [n] [n]",
    shape=lambda f: [f.shapes[0], f.shapes[2], f.shapes[2]], grad=NO_GRADIENT, trace_check=traced.first_two_equal,
)
def fake_quant_with_min_max_vars_per_channel_gradient(xp, gradients, inputs, min, max, num_bits=8, narrow_range=False):
    _channel_ends(inputs, min, max)
    return _cotangents(xp, gradients, inputs, min, max, num_bits, narrow_range)
