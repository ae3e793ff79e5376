"""The derivative of the regularized incomplete gamma function P(a, x) with respect to a, on NumPy: SciPy has none.

P is a series near the origin and one minus a continued fraction far from it (as in the Cephes library). Both are
differentiated term by term, in float64. Elements that have converged keep their values while the others continue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core.types import Array

_STEPS = 2000
_EPSILON = float(np.finfo(np.float64).eps)


def igamma_grad_a(a: Array, x: Array) -> Array:
    """dP(a, x)/da; NaN unless a > 0 and x >= 0.

    >>> float(igamma_grad_a(np.array(1.5), np.array(0.0)))
    0.0
    """
    a, x = np.broadcast_arrays(a, x)
    out = np.full(a.shape, np.nan)
    wide_a, wide_x = a.astype(np.float64), x.astype(np.float64)
    fine = (wide_a > 0) & (wide_x >= 0)
    some = fine & (wide_x > 0) & np.isfinite(wide_x) & np.isfinite(wide_a)
    out[fine & ~some] = 0.0
    far = some & (wide_x > 1) & (wide_x > wide_a)
    near = some & ~far
    out[near] = _by_series(wide_a[near], wide_x[near])
    out[far] = -_by_fraction(wide_a[far], wide_x[far])
    return out.astype(a.dtype)


def _power(a: Array, x: Array, gamma_of: Callable[..., Any]) -> tuple[Array, ...]:
    """x^a e^-x / Γ(gamma_of), and its derivative with respect to a."""
    from scipy.special import digamma, gammaln  # 0.2 s, at the first call

    factor = np.exp(a * np.log(x) - x - gammaln(gamma_of))
    return factor, factor * (np.log(x) - digamma(gamma_of))


def _by_series(a: Array, x: Array) -> Array:
    """P = factor * (1 + x / (a + 1) + x² / ((a + 1) (a + 2)) + …)."""
    r, term, total = a.copy(), np.ones_like(a), np.ones_like(a)
    d_term, d_total = np.zeros_like(a), np.zeros_like(a)
    for _ in range(_STEPS):
        r = r + 1
        step = x / r
        d_term = step * d_term - step / r * term
        term = term * step
        d_total, total = d_total + d_term, total + term
        if (np.abs(d_term) <= _EPSILON * np.abs(d_total)).all():
            break
    factor, d_factor = _power(a, x, a + 1)
    return total * d_factor + d_total * factor


def _by_fraction(a: Array, x: Array) -> Array:
    """1 - P = factor * continued fraction, whose convergents p/q satisfy a three-term recurrence."""
    y, z, count = 1 - a, x + 2 - a, 0.0
    p, q, d_p, d_q = (
        [np.ones_like(x), x + 1],
        [x, z * x],
        [np.zeros_like(x), np.zeros_like(x)],
        [np.zeros_like(x), -x],
    )
    value = p[1] / q[1]
    slope = (d_p[1] - value * d_q[1]) / q[1]
    done = np.zeros(x.shape, bool)
    for _ in range(_STEPS):
        count, y, z = count + 1, y + 1, z + 2
        both = y * count
        new_p, new_q = p[1] * z - p[0] * both, q[1] * z - q[0] * both
        new_dp = d_p[1] * z - p[1] - d_p[0] * both + p[0] * count
        new_dq = d_q[1] * z - q[1] - d_q[0] * both + q[0] * count
        usable = (new_q != 0) & ~done
        safe = np.where(new_q != 0, new_q, 1.0)
        next_value = new_p / safe
        next_slope = (new_dp - next_value * new_dq) / safe
        done = done | usable & (np.abs(next_slope - slope) <= _EPSILON * np.abs(next_slope))
        value, slope = np.where(usable, next_value, value), np.where(usable, next_slope, slope)
        if done.all():
            break
        scale = np.where(np.abs(new_p) > 1 / _EPSILON, _EPSILON, 1.0)  # all of them grow together
        p, q, d_p, d_q = (
            [old[1] * scale, new * scale] for old, new in ((p, new_p), (q, new_q), (d_p, new_dp), (d_q, new_dq))
        )
    factor, d_factor = _power(a, x, a)
    return value * d_factor + slope * factor
