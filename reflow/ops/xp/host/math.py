"""Elementwise functions, reductions, running reductions and sorting on NumPy: a part of `xp.host`.

Where NumPy and TensorFlow disagree, TensorFlow's result is returned: dtypes are kept, integer means truncate, the
maximum of an empty array is the lowest value, arg-extrema skip NaN, sorts are stable with NaN last (first when
descending). Integer division by zero and negative integer powers return some value: the op's check raises the error.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import FLOAT32, extremes, is_float, is_narrow
from reflow.ops.xp.host.base import binary, named, strict, unary, widen
from reflow.ops.xp.host.incomplete_gamma import igamma_grad_a  # noqa: F401 - a function of xp
from reflow.ops.xp.host.threads import in_blocks
from reflow.ops.xp.names import MATH
from reflow.ops.xp.shapes import axis_of, reduced_count, reduced_shape

__all__ = MATH


# --- unary ----------------------------------------------------------------------------------------

negative, square, sqrt, sign = map(unary, (np.negative, np.square, np.sqrt, np.sign))
exp, expm1, log, _log1p = map(unary, (np.exp, np.expm1, np.log, np.log1p))
sin, cos, tan, sinh, cosh, tanh = map(unary, (np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh))
asin, acos, atan = unary(np.arcsin, "asin"), unary(np.arccos, "acos"), unary(np.arctan, "atan")
asinh, acosh, atanh = unary(np.arcsinh, "asinh"), unary(np.arccosh, "acosh"), unary(np.arctanh, "atanh")
floor, ceil, trunc = map(unary, (np.floor, np.ceil, np.trunc))
isnan, isinf, isfinite, logical_not = map(unary, (np.isnan, np.isinf, np.isfinite, np.logical_not))
abs, conj, bitwise_not = unary(np.absolute, "abs"), unary(np.conjugate, "conj"), unary(np.invert, "bitwise_not")


@in_blocks
def log1p(x: Array) -> Array:
    if x.dtype != FLOAT32:
        return _log1p(x)
    # NumPy's own takes 13 ns per 32-bit number, its logarithm 1. The factor restores what 1 + x rounds away; at the
    # ends it is NaN.
    more = x + 1
    result = np.log(more) * (x / (more - 1))
    return np.where((more == 1) | (more == np.inf), x, result)


def rint(x: Array) -> Array:
    return np.rint(x, out=...) if x.dtype.kind in "fcV" else x


@widen
def rsqrt(x: Array) -> Array:
    return np.divide(x.dtype.type(1), np.sqrt(x), out=...)


def reciprocal(x: Array) -> Array:
    return np.divide(np.ones((), x.dtype), x, out=...)


@in_blocks
@widen
def sigmoid(x: Array) -> Array:
    one = x.dtype.type(1)
    return np.divide(one, one + np.exp(-x), out=...)


@in_blocks
@widen
def softplus(x: Array) -> Array:
    return np.add(np.maximum(x, x.dtype.type(0)), log1p(np.exp(-np.abs(x))), out=...)


def relu(x: Array) -> Array:
    return maximum(x, np.zeros((), x.dtype))


def real(x: Array) -> Array:
    return x.real


def imag(x: Array) -> Array:
    return x.imag if x.dtype.kind == "c" else np.zeros_like(x)


def angle(x: Array) -> Array:
    """The argument of a complex number; 0 or pi for a real one."""
    return np.arctan2(imag(x), x.real, out=...)


def population_count(x: Array) -> Array:
    """Set bits as uint8; negative numbers in two's complement (np.bitwise_count would count those of |x|)."""
    return np.bitwise_count(x.view(f"u{x.dtype.itemsize}"), out=...)


# --- special functions: SciPy, imported at the first call (0.2 s) ---------------------------------


def _special(name: str) -> Callable[..., Any]:
    ufunc = None

    def call(*args: Any) -> Array:
        nonlocal ufunc
        if ufunc is None:
            import scipy.special

            ufunc = getattr(scipy.special, name)
        return np.asarray(ufunc(*args))  # not all of them are ufuncs that accept out=...

    return call


_gammaln, _digamma, _gammainc, _gammaincc = (
    _special("gammaln"),
    _special("digamma"),
    _special("gammainc"),
    _special("gammaincc"),
)
_zeta, _betainc, _gamma = _special("zeta"), _special("betainc"), _special("gamma")


def _special_unary(name: str, scipy_name: str | None = None) -> Callable[..., Any]:
    call = _special(scipy_name or name)

    def function(x: Array) -> Array:
        return call(x)

    return widen(named(function, name))


erf = _special_unary("erf")
erfc = _special_unary("erfc")
erfinv = _special_unary("erfinv")
ndtri = _special_unary("ndtri")
bessel_i0e = _special_unary("bessel_i0e", "i0e")
bessel_i1e = _special_unary("bessel_i1e", "i1e")


@widen
def lgamma(x: Array) -> Array:
    """+inf at -inf, where SciPy returns -inf."""
    return np.where(x == -np.inf, x.dtype.type(np.inf), _gammaln(x))


@widen
def digamma(x: Array) -> Array:
    """NaN at zero and -inf, where SciPy returns -inf."""
    nan = x.dtype.type(np.nan)
    return np.where((x == 0) | (x == -np.inf), nan, _digamma(x))


@strict
@widen
def igamma(x: Array, y: Array) -> Array:
    """The regularised lower incomplete gamma function P(x, y); NaN unless x > 0 and y >= 0."""
    return np.where((x > 0) & (y >= 0), _gammainc(x, y), x.dtype.type(np.nan))


@strict
@widen
def igammac(x: Array, y: Array) -> Array:
    """The regularised upper incomplete gamma function Q(x, y) = 1 - P(x, y)."""
    return np.where((x > 0) & (y >= 0), _gammaincc(x, y), x.dtype.type(np.nan))


@strict
@widen
def zeta(x: Array, y: Array) -> Array:
    """The Hurwitz zeta function."""
    return _zeta(x, y)


@strict
@widen
def polygamma(x: Array, y: Array) -> Array:
    """The derivative of order x (a whole number, else NaN) of digamma at y, computed in float64."""
    n, z = x.astype(np.float64), y.astype(np.float64)
    higher = np.where(np.mod(n, 2) == 0, -1.0, 1.0) * _gamma(n + 1) * _zeta(n + 1, z)
    value = np.where(n == 0, _digamma(z), higher)
    return np.where((n >= 0) & (n == np.floor(n)), value, np.nan).astype(x.dtype)


@widen
def betainc(a: Array, b: Array, x: Array) -> Array:
    """The regularised incomplete beta function."""
    return _betainc(a, b, x)


# --- binary ---------------------------------------------------------------------------------------

add, subtract, multiply, divide = map(binary, (np.add, np.subtract, np.multiply, np.divide))
maximum, minimum, nextafter, atan2 = *map(binary, (np.maximum, np.minimum, np.nextafter)), binary(np.arctan2, "atan2")
truncate_mod, floor_mod = binary(np.fmod, "truncate_mod"), binary(np.remainder, "floor_mod")
equal, not_equal = binary(np.equal), binary(np.not_equal)
less, less_equal, greater, greater_equal = map(binary, (np.less, np.less_equal, np.greater, np.greater_equal))
logical_and, logical_or, logical_xor = map(binary, (np.logical_and, np.logical_or, np.logical_xor))
bitwise_and, bitwise_or, bitwise_xor = map(binary, (np.bitwise_and, np.bitwise_or, np.bitwise_xor))
left_shift, right_shift = binary(np.left_shift), binary(np.right_shift)


@strict
def floor_divide(x: Array, y: Array) -> Array:
    """floor(x / y) in floats: np.floor_divide(1, 0.1) is 9, TensorFlow's 10."""
    if x.dtype.kind in "iu":
        return np.floor_divide(x, y, out=...)
    return np.floor(np.divide(x, y), out=...)


@strict
def truncate_div(x: Array, y: Array) -> Array:
    if x.dtype.kind == "i":
        return np.floor_divide(np.subtract(x, np.fmod(x, y)), y, out=...)
    if x.dtype.kind == "u":
        return np.floor_divide(x, y, out=...)
    return np.trunc(np.divide(x, y), out=...)


@strict
def power(x: Array, y: Array) -> Array:
    if x.dtype.kind == "i":
        y = np.maximum(y, y.dtype.type(0))
    return np.power(x, y, out=...)


def complex(re: Array, im: Array) -> Array:
    shape = np.broadcast_shapes(re.shape, im.shape)
    result = np.empty(shape, np.result_type(re.dtype, np.complex64))  # every element is written, in two halves
    result.real = re
    result.imag = im
    return result


# --- reductions -----------------------------------------------------------------------------------


def _accumulator(dtype: Static) -> Array:
    """The dtype in which sums and products of `dtype` are formed."""
    return FLOAT32 if dtype.itemsize <= 2 and is_narrow(dtype) else dtype


def sum(x: Array, axes: Static, keepdims: bool = False) -> Array:
    dtype = x.dtype
    wide = _accumulator(dtype)
    result = np.add.reduce(x, axis=axes, dtype=wide, keepdims=keepdims, out=...)
    return result if wide is dtype else result.astype(dtype)


def prod(x: Array, axes: Static, keepdims: bool = False) -> Array:
    dtype = x.dtype
    wide = _accumulator(dtype)
    result = np.multiply.reduce(x, axis=axes, dtype=wide, keepdims=keepdims, out=...)
    return result if wide is dtype else result.astype(dtype)


def mean(x: Array, axes: Static, keepdims: bool = False) -> Array:
    """Integers: the sum in 64 bits divided by the count, truncated; the mean of nothing is 0 (real floats: NaN)."""
    dtype = x.dtype
    n = reduced_count(x.shape, axes) or (1 if dtype.kind == "c" else 0)
    if dtype.kind in "iu":
        wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
        total = np.add.reduce(x, axis=axes, dtype=wide, keepdims=keepdims, out=...)
        return truncate_div(total, np.array(n or 1, wide)).astype(dtype)
    wide = _accumulator(dtype)
    total = np.add.reduce(x, axis=axes, dtype=wide, keepdims=keepdims, out=...)
    return np.divide(total, np.array(n, wide), out=...).astype(dtype, copy=False)


def max(x: Array, axes: Static, keepdims: bool = False) -> Array:
    if x.size == 0:
        return np.full(reduced_shape(x.shape, axes, keepdims), extremes(x.dtype)[0], x.dtype)
    return np.maximum.reduce(x, axis=axes, keepdims=keepdims, out=...)


def min(x: Array, axes: Static, keepdims: bool = False) -> Array:
    if x.size == 0:
        return np.full(reduced_shape(x.shape, axes, keepdims), extremes(x.dtype)[1], x.dtype)
    return np.minimum.reduce(x, axis=axes, keepdims=keepdims, out=...)


def any(x: Array, axes: Static, keepdims: bool = False) -> Array:
    return np.logical_or.reduce(x, axis=axes, keepdims=keepdims, out=...)


def all_below(x: Array, limit: int) -> Array:
    """Whether all integers are in [0, limit).

    Read as unsigned numbers, negative ones are the largest, so one pass is enough: 3 µs instead of 12 for the labels of
    a batch. Python compares up to 64 numbers: with cold caches, as between two training steps, it takes 4 µs and NumPy
    9.
    """
    if 0 < x.size <= 64:
        numbers = x.ravel().tolist()
        return np.asarray(builtins.min(numbers) >= 0 and builtins.max(numbers) < limit)
    if x.dtype.kind == "i":
        size = x.dtype.itemsize
        first_negative = 1 << 8 * size - 1
        x, limit = x.view(f"u{size}"), limit if limit < first_negative else first_negative
    return np.asarray(not x.size or int(x.max()) < limit)


def all(x: Array, axes: Static, keepdims: bool = False) -> Array:
    return np.logical_and.reduce(x, axis=axes, keepdims=keepdims, out=...)


def _arg_extremum(
    x: Array, axis: Static, dtype: Static, pick: Callable[..., Any], reduce: Callable[..., Any], worst: Static
) -> Array:
    """As in TensorFlow, NaN is never selected; NumPy selects the first NaN."""
    if x.dtype.itemsize <= 2 and is_narrow(x.dtype):
        x = x.astype(FLOAT32)
    if x.dtype.kind == "f" and x.size and np.isnan(reduce(x, axis)).any():
        x = np.where(np.isnan(x), x.dtype.type(worst), x)
    return np.asarray(pick(x, axis)).astype(dtype, copy=False)


def argmax(x: Array, axis: Static, dtype: Static) -> Array:
    return _arg_extremum(x, axis, dtype, np.argmax, np.maximum.reduce, -np.inf)


def argmin(x: Array, axis: Static, dtype: Static) -> Array:
    return _arg_extremum(x, axis, dtype, np.argmin, np.minimum.reduce, np.inf)


# --- running reductions ---------------------------------------------------------------------------


def _along(ndim: int, axis: Static, piece: Static) -> Array:
    return (slice(None),) * axis_of(axis, ndim) + (piece,)


def _running(
    x: Array, axis: Static, exclusive: bool, reverse: bool, accumulate: Callable[..., Any], identity: Static
) -> Array:
    backwards = _along(x.ndim, axis, slice(None, None, -1))
    if reverse:
        x = x[backwards]
    result = accumulate(x, axis=axis, dtype=_accumulator(x.dtype)).astype(x.dtype, copy=False)
    if exclusive:
        shifted = np.empty_like(result)  # every element is written: the first along the axis, and the others
        shifted[_along(x.ndim, axis, slice(0, 1))] = identity
        shifted[_along(x.ndim, axis, slice(1, None))] = result[_along(x.ndim, axis, slice(0, -1))]
        result = shifted
    return result[backwards] if reverse else result


def cumsum(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(x, axis, exclusive, reverse, np.add.accumulate, 0)


def cumprod(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(x, axis, exclusive, reverse, np.multiply.accumulate, 1)


def cummax(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(x, axis, exclusive, reverse, np.maximum.accumulate, extremes(x.dtype)[0])


def cummin(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(x, axis, exclusive, reverse, np.minimum.accumulate, extremes(x.dtype)[1])


def logcumsumexp(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return _running(x, axis, exclusive, reverse, np.logaddexp.accumulate, -np.inf)


# --- sorting --------------------------------------------------------------------------------------


def _sortable(x: Array) -> Array:
    """bfloat16 and float8 compare NaN wrongly in np.sort; float32 holds all their values."""
    return x.astype(FLOAT32) if x.dtype.kind == "V" or (is_float(x.dtype) and x.dtype.itemsize == 1) else x


def sort(x: Array, axis: Static, descending: bool = False) -> Array:
    keys = _sortable(x)
    if descending:  # reversed before and after, so that equal elements (0.0 and -0.0) keep their order
        keys = np.flip(np.sort(np.flip(keys, axis), axis, kind="stable"), axis)
    else:
        keys = np.sort(keys, axis, kind="stable")
    return keys.astype(x.dtype, copy=False)


def argsort(x: Array, axis: Static, descending: bool = False) -> Array:
    keys = _sortable(x)
    if descending:
        order = np.flip(np.argsort(np.flip(keys, axis), axis, kind="stable"), axis)
        order = x.shape[axis] - 1 - order
    else:
        order = np.argsort(keys, axis, kind="stable")
    return order.astype(np.int32)


def top_k(x: Array, k: Static) -> tuple[Array, ...]:
    """The k greatest of the last axis in descending order, equal ones by index. NaN is greatest."""
    order = argsort(x, x.ndim - 1, True)[..., :k]
    return np.take_along_axis(x, order, -1), order


def searchsorted(seq: Static, values: Array, side: Static, dtype: Static) -> Array:
    """Where each of values[..., m] would be inserted into the sorted seq[..., n]; equal leading axes."""
    seq, values = _sortable(seq), _sortable(values)
    if seq.ndim == 1:
        return np.asarray(np.searchsorted(seq, values, side)).astype(dtype)
    result = np.empty(values.shape, dtype)  # every element is written: all rows in turn
    for index in np.ndindex(values.shape[:-1]):
        result[index] = np.searchsorted(seq[index], values[index], side)
    return result
