"""Elementwise functions, reductions, running reductions and sorting on XLA: a part of `xp.xla`.

Each function has the meaning of its namesake in `xp.host.math`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.scipy.special as jss
import numpy as np
from jax import lax

from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import extremes, is_float, is_narrow
from reflow.ops.xp.first import first
from reflow.ops.xp.names import MATH
from reflow.ops.xp.shapes import axes_of, axis_of, reduced_count, reduced_shape
from reflow.ops.xp.xla import native as xla_native
from reflow.ops.xp.xla.base import binary, filled, match, to_float32, unary, widen

__all__ = MATH


# --- unary ----------------------------------------------------------------------------------------

negative = unary(lax.neg, "negative")
abs = unary(lax.abs, "abs")
sign = unary(lax.sign, "sign")
exp = unary(lax.exp, "exp")
expm1 = unary(lax.expm1, "expm1")
log = unary(lax.log, "log")
log1p = unary(lax.log1p, "log1p")
sqrt = unary(lax.sqrt, "sqrt")
rsqrt = unary(lax.rsqrt, "rsqrt")
square = unary(lax.square, "square")
sin = unary(lax.sin, "sin")
cos = unary(lax.cos, "cos")
tan = unary(lax.tan, "tan")
asin = unary(lax.asin, "asin")
acos = unary(lax.acos, "acos")
atan = unary(lax.atan, "atan")
sinh = unary(lax.sinh, "sinh")
cosh = unary(lax.cosh, "cosh")
tanh = unary(lax.tanh, "tanh")
asinh = unary(lax.asinh, "asinh")
acosh = unary(lax.acosh, "acosh")
atanh = unary(lax.atanh, "atanh")
sigmoid = unary(lax.logistic, "sigmoid")
floor = unary(lax.floor, "floor")
ceil = unary(lax.ceil, "ceil")
isfinite = unary(lax.is_finite, "isfinite")
logical_not = unary(lax.bitwise_not, "logical_not")
bitwise_not = unary(lax.bitwise_not, "bitwise_not")
erf = unary(lax.erf, "erf")
erfc = unary(lax.erfc, "erfc")
erfinv = unary(lax.erf_inv, "erfinv")
lgamma = unary(lax.lgamma, "lgamma")
bessel_i0e = unary(lax.bessel_i0e, "bessel_i0e")
bessel_i1e = unary(lax.bessel_i1e, "bessel_i1e")


def rint(x: Array) -> Array:
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN) if is_float(x.dtype) else x


def trunc(x: Array) -> Array:
    return lax.select(lax.lt(x, filled(0, x)), lax.ceil(x), lax.floor(x))


def reciprocal(x: Array) -> Array:
    return lax.div(filled(1, x), x)


@widen
def softplus(x: Array) -> Array:
    return lax.add(lax.max(x, filled(0, x)), lax.log1p(lax.exp(lax.neg(lax.abs(x)))))


@first(xla_native.relu)
def relu(x: Array) -> Array:
    return lax.max(x, filled(0, x))


def isnan(x: Array) -> Array:
    return lax.ne(x, x)


def isinf(x: Array) -> Array:
    magnitude = lax.abs(x)
    return lax.eq(magnitude, filled(np.inf, magnitude))


def real(x: Array) -> Array:
    return lax.real(x) if x.dtype.kind == "c" else x


def imag(x: Array) -> Array:
    return lax.imag(x) if x.dtype.kind == "c" else filled(0, x)


def conj(x: Array) -> Array:
    return lax.conj(x) if x.dtype.kind == "c" else x


def angle(x: Array) -> Array:
    return lax.atan2(imag(x), real(x))


def population_count(x: Array) -> Array:
    return lax.convert_element_type(lax.population_count(x), np.uint8)


@widen
def ndtri(x: Array) -> Array:
    return jss.ndtri(x)


@widen
def digamma(x: Array) -> Array:
    lost = lax.bitwise_or(lax.eq(x, filled(0, x)), lax.eq(x, filled(-np.inf, x)))
    return lax.select(lost, filled(np.nan, x), lax.digamma(x))


@widen
def igamma(x: Array, y: Array) -> Array:
    return _incomplete_gamma(lax.igamma, x, y)


@widen
def igammac(x: Array, y: Array) -> Array:
    return _incomplete_gamma(lax.igammac, x, y)


def _incomplete_gamma(function: Callable[..., Any], x: Array, y: Array) -> Array:
    x, y = match(x, y)
    defined = lax.bitwise_and(lax.gt(x, filled(0, x)), lax.ge(y, filled(0, y)))
    return lax.select(defined, function(x, y), filled(np.nan, x))


def igamma_grad_a(a: Array, x: Array) -> Array:
    return lax.igamma_grad_a(*match(a, x))


@widen
def zeta(x: Array, y: Array) -> Array:
    return lax.zeta(*match(x, y))


@widen
def polygamma(x: Array, y: Array) -> Array:
    x, y = match(x, y)
    whole = lax.bitwise_and(lax.ge(x, filled(0, x)), lax.eq(x, lax.floor(x)))
    value = lax.select(lax.eq(x, filled(0, x)), digamma(y), lax.polygamma(x, y))
    return lax.select(whole, value, filled(np.nan, x))


@widen
def betainc(a: Array, b: Array, x: Array) -> Array:
    return lax.betainc(*match(a, b, x))


# --- binary ---------------------------------------------------------------------------------------

add = first(xla_native.add_bias)(binary(lax.add, "add"))
subtract = binary(lax.sub, "subtract")
multiply = binary(lax.mul, "multiply")
divide = binary(lax.div, "divide")
maximum = binary(lax.max, "maximum")
minimum = binary(lax.min, "minimum")
atan2 = binary(lax.atan2, "atan2")
equal = binary(lax.eq, "equal")
not_equal = binary(lax.ne, "not_equal")
less = binary(lax.lt, "less")
less_equal = binary(lax.le, "less_equal")
greater = binary(lax.gt, "greater")
greater_equal = binary(lax.ge, "greater_equal")
logical_and = binary(lax.bitwise_and, "logical_and")
logical_or = binary(lax.bitwise_or, "logical_or")
logical_xor = binary(lax.bitwise_xor, "logical_xor")
bitwise_and = binary(lax.bitwise_and, "bitwise_and")
bitwise_or = binary(lax.bitwise_or, "bitwise_or")
bitwise_xor = binary(lax.bitwise_xor, "bitwise_xor")
left_shift = binary(lax.shift_left, "left_shift")
nextafter = binary(lax.nextafter, "nextafter")
truncate_mod = binary(lax.rem, "truncate_mod")


def right_shift(x: Array, y: Array) -> Array:
    x, y = match(x, y)
    return lax.shift_right_logical(x, y) if x.dtype.kind == "u" else lax.shift_right_arithmetic(x, y)


def _signs_differ(x: Array, y: Array) -> Array:
    return lax.ne(lax.lt(x, filled(0, x)), lax.lt(y, filled(0, y)))


def floor_divide(x: Array, y: Array) -> Array:
    x, y = match(x, y)
    quotient = lax.div(x, y)
    if x.dtype.kind == "u":
        return quotient
    if x.dtype.kind != "i":
        return lax.floor(quotient)
    inexact = lax.ne(lax.rem(x, y), filled(0, x))
    down = lax.bitwise_and(inexact, _signs_differ(x, y))
    return lax.sub(quotient, lax.convert_element_type(down, x.dtype))


def floor_mod(x: Array, y: Array) -> Array:
    x, y = match(x, y)
    remainder = lax.rem(x, y)
    if x.dtype.kind == "u":
        return remainder
    wrong = lax.bitwise_and(lax.ne(remainder, filled(0, x)), _signs_differ(remainder, y))
    return lax.select(wrong, lax.add(remainder, y), remainder)


def truncate_div(x: Array, y: Array) -> Array:
    quotient = lax.div(*match(x, y))
    return quotient if x.dtype.kind in "iu" else trunc(quotient)


def power(x: Array, y: Array) -> Array:
    x, y = match(x, y)
    return _integer_power(x, y) if x.dtype.kind in "iu" else lax.pow(x, y)


def _integer_power(x: Array, y: Array) -> Array:
    """Repeated squaring, one step for each bit of the exponent; negative exponents count as 0."""
    one, zero = filled(1, x), filled(0, x)

    def step(_: Static, state: Static) -> tuple[Array, ...]:
        result, base, exponent = state
        odd = lax.ne(lax.bitwise_and(exponent, one), zero)
        result = lax.select(odd, lax.mul(result, base), result)
        return result, lax.mul(base, base), lax.shift_right_logical(exponent, one)

    bits = x.dtype.itemsize * 8
    return lax.fori_loop(0, bits, step, (one, x, lax.max(y, zero)))[0]


def complex(re: Array, im: Array) -> Array:
    return lax.complex(*match(re, im))


# --- reductions -----------------------------------------------------------------------------------


def _reduce(function: Callable[..., Any], x: Array, axes: Static, keepdims: bool) -> Array:
    axes = axes_of(axes, x.ndim)
    if not axes:
        return x
    result = function(x, axes)
    return lax.reshape(result, reduced_shape(x.shape, axes, True)) if keepdims else result


@widen
def sum(x: Array, axes: Static, keepdims: bool = False) -> Array:
    return _reduce(lax.reduce_sum, x, axes, keepdims)


@widen
def prod(x: Array, axes: Static, keepdims: bool = False) -> Array:
    return _reduce(lax.reduce_prod, x, axes, keepdims)


@widen
def mean(x: Array, axes: Static, keepdims: bool = False) -> Array:
    dtype = x.dtype
    n = reduced_count(x.shape, axes) or (1 if dtype.kind == "c" else 0)
    if dtype.kind in "iu":
        wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
        total = _reduce(lax.reduce_sum, lax.convert_element_type(x, wide), axes, keepdims)
        return lax.convert_element_type(lax.div(total, filled(n or 1, total)), dtype)
    total = _reduce(lax.reduce_sum, x, axes, keepdims)
    return lax.div(total, filled(n, total))


def max(x: Array, axes: Static, keepdims: bool = False) -> Array:
    return _reduce(lax.reduce_max, x, axes, keepdims)


def min(x: Array, axes: Static, keepdims: bool = False) -> Array:
    return _reduce(lax.reduce_min, x, axes, keepdims)


def any(x: Array, axes: Static, keepdims: bool = False) -> Array:
    return _reduce(lax.reduce_or, x, axes, keepdims)


def all_below(x: Array, limit: int) -> Array:
    """Whether all integers are in [0, limit)."""
    if limit > np.iinfo(x.dtype).max:
        return all(lax.ge(x, lax.full_like(x, 0)), None)
    inside = lax.bitwise_and(lax.ge(x, lax.full_like(x, 0)), lax.lt(x, lax.full_like(x, limit)))
    return all(inside, None)


def all(x: Array, axes: Static, keepdims: bool = False) -> Array:
    return _reduce(lax.reduce_and, x, axes, keepdims)


def _arg_extremum(x: Array, axis: Static, dtype: Static, pick: Callable[..., Any], worst: Static) -> Array:
    if x.dtype.kind == "b":
        x = lax.convert_element_type(x, np.int8)
    if is_float(x.dtype):
        x = to_float32(x) if is_narrow(x.dtype) else x
        x = lax.select(isnan(x), filled(worst, x), x)
    return pick(x, axis_of(axis, x.ndim), dtype)


def argmax(x: Array, axis: Static, dtype: Static) -> Array:
    return _arg_extremum(x, axis, dtype, lax.argmax, -np.inf)


def argmin(x: Array, axis: Static, dtype: Static) -> Array:
    return _arg_extremum(x, axis, dtype, lax.argmin, np.inf)


# --- running reductions ---------------------------------------------------------------------------


def _running(
    function: Callable[..., Any], x: Array, axis: Static, exclusive: bool, reverse: bool, identity: Static
) -> Array:
    axis = axis_of(axis, x.ndim)
    n = x.shape[axis]
    if exclusive and n:
        edge = lax.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), identity, x.dtype)
        if reverse:
            x = lax.concatenate([lax.slice_in_dim(x, 1, n, axis=axis), edge], axis)
        else:
            x = lax.concatenate([edge, lax.slice_in_dim(x, 0, n - 1, axis=axis)], axis)
    return function(x, axis=axis, reverse=reverse)


@widen
def cumsum(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(lax.cumsum, x, axis, exclusive, reverse, 0)


@widen
def cumprod(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(lax.cumprod, x, axis, exclusive, reverse, 1)


def cummax(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(lax.cummax, x, axis, exclusive, reverse, extremes(x.dtype)[0])


def cummin(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(lax.cummin, x, axis, exclusive, reverse, extremes(x.dtype)[1])


@widen
def logcumsumexp(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(lax.cumlogsumexp, x, axis, exclusive, reverse, -np.inf)


# --- sorting --------------------------------------------------------------------------------------


def sort(x: Array, axis: Static, descending: bool = False) -> Array:
    axis = axis_of(axis, x.ndim)
    if descending:
        return lax.rev(lax.sort(lax.rev(x, (axis,)), dimension=axis, is_stable=True), (axis,))
    return lax.sort(x, dimension=axis, is_stable=True)


def argsort(x: Array, axis: Static, descending: bool = False) -> Array:
    axis = axis_of(axis, x.ndim)
    order = lax.broadcasted_iota(np.int32, x.shape, axis)
    if descending:
        x, order = lax.rev(x, (axis,)), lax.rev(order, (axis,))
    order = lax.sort((x, order), dimension=axis, is_stable=True, num_keys=1)[1]
    return lax.rev(order, (axis,)) if descending else order


def top_k(x: Array, k: Static) -> tuple[Array, ...]:
    values, indices = lax.top_k(x, k)
    return values, lax.convert_element_type(indices, np.int32)


def searchsorted(seq: Static, values: Array, side: Static, dtype: Static) -> Array:
    """A binary search: ceil(log2(n + 1)) gathers."""
    batch, n = seq.shape[:-1], seq.shape[-1]
    low, high = lax.full(values.shape, 0, np.int32), lax.full(values.shape, n, np.int32)
    if not n:
        return lax.convert_element_type(low, dtype)
    before = lax.lt if side == "left" else lax.le

    def step(_: Any, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = lax.div(lax.add(low, high), filled(2, low))
        there = _rows_at(seq, middle, len(batch))
        go_right = lax.bitwise_and(before(there, values), lax.lt(low, high))
        return lax.select(go_right, lax.add(middle, filled(1, low)), low), lax.select(go_right, high, middle)

    # A loop: XLA takes 2.4 s to compile ten unrolled steps, because it fuses each gather into all later ones.
    low, _ = lax.fori_loop(0, math.ceil(math.log2(n + 1)), step, (low, high))
    return lax.convert_element_type(low, dtype)


def _rows_at(seq: Static, places: Static, batch: Static) -> Array:
    axes = tuple(range(batch))
    numbers = lax.GatherDimensionNumbers((), (batch,), (batch,), axes, axes)
    return lax.gather(seq, lax.expand_dims(places, (places.ndim,)), numbers, (1,) * seq.ndim, mode="clip")
