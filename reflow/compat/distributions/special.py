"""The normal and Laplace distribution functions, their logarithms and inverses, accurate far out in the tails.

TensorFlow has them in a private module (`special_math`). They are composed of ops, so gradients of any order follow. In
each piece, a `where` replaces arguments meant for another piece, because a gradient of zero times infinity is NaN.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reflow.api.array import creation
from reflow.api.export import export, export_value
from reflow.api.math import arithmetic, special, unary
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_HOME = "__internal__.distributions."
#: below the first the logarithm of the distribution function is its asymptotic series, above the second minus the small
#: rest
LOGNDTR_FLOAT32_LOWER = export_value(np.array(-10, np.float32), _HOME + "LOGNDTR_FLOAT32_LOWER")
LOGNDTR_FLOAT32_UPPER = export_value(np.array(5, np.float32), _HOME + "LOGNDTR_FLOAT32_UPPER")
LOGNDTR_FLOAT64_LOWER = export_value(np.array(-20, np.float64), _HOME + "LOGNDTR_FLOAT64_LOWER")
LOGNDTR_FLOAT64_UPPER = export_value(np.array(8, np.float64), _HOME + "LOGNDTR_FLOAT64_UPPER")


def _real(x: Any) -> Any:
    x = convert_to_tensor(x)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(f"x.dtype={x.dtype} is not handled, see docstring for supported types.")
    return x


@export("__internal__.distributions.ndtr")
def ndtr(x, name="ndtr"):
    """The probability of a standard normal number below x.

    >>> print(ndtr([0.0, 1.0]).numpy().round(4))
    [0.5    0.8413]
    """
    return 0.5 * special.erfc(-_real(x) * math.sqrt(0.5))


@export("__internal__.distributions.ndtri")
def ndtri(p, name="ndtri"):
    """The inverse of `ndtr`, with finite gradients also at 0 and 1, where it is infinite.

    >>> ndtri([0.5, 1.0]).numpy().tolist()
    [0.0, inf]
    """
    p = _real(p)
    inside = (p > 0.0) & (p < 1.0)
    found = special.ndtri(arithmetic.where(inside, p, 0.5 * creation.ones_like(p)))
    edge = arithmetic.where(p < 0.5, -np.inf * creation.ones_like(p), np.inf * creation.ones_like(p))
    return arithmetic.where(inside, found, edge)


@export("__internal__.distributions.log_ndtr")
def log_ndtr(x, series_order=3, name="log_ndtr"):
    """The logarithm of `ndtr`; far out on the left by an asymptotic series of `series_order` terms.

    >>> float(log_ndtr(-40.0).numpy().round(3))
    -804.6079711914062
    """
    if not isinstance(series_order, int):
        raise TypeError("series_order must be a Python integer.")
    if not 0 <= series_order <= 30:
        raise ValueError("series_order must be non-negative." if series_order < 0 else "series_order must be <= 30.")
    x = _real(x)
    wide = x.dtype is dtypes.float64
    lower, upper = (
        (LOGNDTR_FLOAT64_LOWER, LOGNDTR_FLOAT64_UPPER) if wide else (LOGNDTR_FLOAT32_LOWER, LOGNDTR_FLOAT32_UPPER)
    )
    near = unary.log(ndtr(arithmetic.minimum(arithmetic.maximum(x, lower), upper)))
    body = arithmetic.where(x > upper, -ndtr(-x), near)
    return arithmetic.where(x > lower, body, _log_tail(arithmetic.minimum(x, lower), series_order))


def _log_tail(x: Any, order: int) -> Any:
    """The logarithm of `ndtr` for very negative x: the density over -x, times 1 - 1/x² + 3/x⁴ - 15/x⁶ …"""
    square = x * x
    series, term = creation.ones_like(x), creation.ones_like(x)
    for n in range(1, order + 1):
        term = term * (-(2.0 * n - 1.0)) / square
        series = series + term
    return -0.5 * square - unary.log(-x) - HALF_LOG_2PI + unary.log(series)


@export("__internal__.distributions.erfinv")
def erfinv(x, name="erfinv"):
    """The inverse of the error function.

    >>> round(float(erfinv(0.5).numpy()), 4)
    0.4769
    """
    return ndtri((_real(x) + 1.0) / 2.0) / math.sqrt(2.0)


@export("__internal__.distributions.log_cdf_laplace")
def log_cdf_laplace(x, name="log_cdf_laplace"):
    """The logarithm of the distribution function of the standard Laplace distribution.

    >>> float(log_cdf_laplace(0.0).numpy().round(4))
    -0.6930999755859375
    """
    x = _real(x)
    above = unary.log1p(-0.5 * unary.exp(-unary.abs(x)))
    return arithmetic.where(x < 0.0, x - math.log(2.0), above)
