"""Distributions on the line: normal, Laplace, Student's t, uniform."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic, special, unary
from reflow.api.random import sampling
from reflow.compat.distributions import base
from reflow.compat.distributions.divergence import RegisterKL
from reflow.compat.distributions.special import HALF_LOG_2PI, log_cdf_laplace, log_ndtr, ndtr, ndtri
from reflow.ops.convert import convert_to_tensor


class _LocationScale(base.Distribution):
    """A standard distribution that is stretched by `scale` and moved to `loc`."""

    _loc: Any
    _scale: Any

    def _place(self, loc: Any, scale: Any) -> None:
        loc, scale = base.floats(loc, scale)
        with control_dependencies([asserts.assert_positive(scale)] if self._validate_args else []):
            self._loc, self._scale = arrange.identity(loc), arrange.identity(scale)
        self._dtype, self._shaped_by = self._loc.dtype, (self._loc, self._scale)

    loc = property(lambda self: self._loc, doc="The middle.")
    scale = property(lambda self: self._scale, doc="The width.")

    PARAMETERS: tuple[str, ...] = ("loc", "scale")

    def _z(self, x: Any) -> Any:
        return (x - self._loc) / self._scale

    def _mean(self) -> Any:
        return self._loc * creation.ones_like(self._scale)

    def _mode(self) -> Any:
        return self._mean()

    def _wide(self) -> Any:
        """The scale of each member of the batch."""
        return self._scale * creation.ones_like(self._loc)


@export("compat.v1.distributions.Normal")
class Normal(_LocationScale):
    """The normal distribution with mean `loc` and standard deviation `scale`.

    >>> round(float(tf.compat.v1.distributions.Normal(0.0, 2.0).log_prob(1.0)), 4)
    -1.7371
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
        super().__init__(None, base.FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        self._place(loc, scale)

    def _sample_n(self, n, seed=None):
        return sampling.normal(self._with_batch(n), dtype=self._dtype, seed=seed) * self._scale + self._loc

    def _log_prob(self, x):
        return -0.5 * unary.square(self._z(x)) - (HALF_LOG_2PI + unary.log(self._scale))

    def _cdf(self, x):
        return ndtr(self._z(x))

    def _log_cdf(self, x):
        return log_ndtr(self._z(x))

    def _survival_function(self, x):
        return ndtr(-self._z(x))

    def _log_survival_function(self, x):
        return log_ndtr(-self._z(x))

    def _quantile(self, p):
        return ndtri(p) * self._scale + self._loc

    def _stddev(self):
        return self._wide()

    def _entropy(self):
        return 0.5 + HALF_LOG_2PI + unary.log(self._wide())


@RegisterKL(Normal, Normal)
def _kl_normals(a: Normal, b: Normal, name: str | None = None) -> Any:
    ratio = unary.square(a.scale / b.scale)
    return unary.square(a.loc - b.loc) / (2.0 * unary.square(b.scale)) + 0.5 * (ratio - 1.0 - unary.log(ratio))


@export("compat.v1.distributions.Laplace")
class Laplace(_LocationScale):
    """The Laplace distribution: a two-sided exponential around `loc`.

    >>> round(float(tf.compat.v1.distributions.Laplace(0.0, 1.0).cdf(0.0)), 4)
    0.5
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Laplace"):
        super().__init__(None, base.FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        self._place(loc, scale)

    def _sample_n(self, n, seed=None):
        low = np.nextafter(self._dtype.as_numpy_dtype(-1.0), self._dtype.as_numpy_dtype(0.0))
        drawn = sampling.uniform(self._with_batch(n), low, 1.0, self._dtype, seed)
        return self._loc - self._scale * unary.sign(drawn) * unary.log1p(-unary.abs(drawn))

    def _log_prob(self, x):
        return -unary.abs(self._z(x)) - (math.log(2.0) + unary.log(self._scale))

    def _log_cdf(self, x):
        return log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x):
        return self._log_cdf(2.0 * self._loc - x)

    def _cdf(self, x):
        z = self._z(x)
        return 0.5 - 0.5 * unary.sign(z) * unary.expm1(-unary.abs(z))

    def _stddev(self):
        return math.sqrt(2.0) * self._wide()

    def _entropy(self):
        return math.log(2.0) + 1.0 + unary.log(self._wide())


@export("compat.v1.distributions.StudentT")
class StudentT(_LocationScale):
    """Student's t distribution with `df` degrees of freedom.

    >>> round(float(tf.compat.v1.distributions.StudentT(3.0, 0.0, 1.0).variance()), 4)
    3.0
    """

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentT"):
        super().__init__(None, base.FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        self._place(loc, scale)
        df = base.floats(df, self._loc)[0]
        self._df = base.checked(df, [lambda: asserts.assert_positive(df)], validate_args)
        self._shaped_by = (self._df, self._loc, self._scale)

    df = property(lambda self: self._df, doc="The degrees of freedom.")

    PARAMETERS: tuple[str, ...] = ("df", "loc", "scale")

    def _ones(self) -> Any:
        return creation.ones(self.batch_shape_tensor(), self._dtype)

    def _sample_n(self, n, seed=None):
        drawn = sampling.normal(self._with_batch(n), dtype=self._dtype, seed=seed)
        df = self._df * self._ones()
        squares = sampling.gamma([n], 0.5 * df, 0.5, self._dtype, base.derived_seed(seed, "student_t"))
        return drawn * unary.rsqrt(squares / df) * self._scale + self._loc

    def _log_prob(self, x):
        df = self._df
        norm = unary.log(unary.abs(self._scale)) + 0.5 * unary.log(df) + 0.5 * math.log(math.pi)
        norm = norm + special.lgamma(0.5 * df) - special.lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * unary.log1p(unary.square(self._z(x)) / df) - norm

    def _cdf(self, x):
        z = (x - self._loc) / unary.abs(self._scale)  # a negative scale mirrors the distribution, which is symmetric
        df = self._df + creation.zeros_like(z)
        tail = 0.5 * special.betainc(0.5 * df, 0.5 + creation.zeros_like(df), df / (unary.square(z) + df))
        return arithmetic.where(z < 0.0, tail, 1.0 - tail)

    def _entropy(self):
        df = self._df * self._ones()
        beta = special.lbeta(arrange.stack([0.5 * creation.ones_like(df), 0.5 * df], -1))
        change = special.digamma(0.5 * (df + 1.0)) - special.digamma(0.5 * df)
        return unary.log(unary.abs(self._scale)) + 0.5 * unary.log(df) + beta + 0.5 * (df + 1.0) * change

    def _mode(self):
        return arrange.identity(self._loc)

    def _mean(self):
        return self._defined(1.0, "mean not defined for components of df <= 1", self._loc * self._ones())

    def _variance(self):
        df = self._df * self._ones()
        finite = df > 2.0
        value = unary.square(self._scale) * df / arithmetic.where(finite, df - 2.0, 1.0)
        value = arithmetic.where(finite, value, convert_to_tensor(math.inf, self._dtype))
        return self._defined(1.0, "variance not defined for components of df <= 1", value)

    def _defined(self, least: float, message: str, value: Any) -> Any:
        """A moment, which exists only if there are enough degrees of freedom."""
        if self._allow_nan_stats:
            return base.nan_unless(self._df * self._ones() > least, value)
        limit = convert_to_tensor(least, self._dtype)
        return base.checked(value, [lambda: asserts.assert_less(limit, self._df, message=message)], True)


@export("compat.v1.distributions.Uniform")
class Uniform(base.Distribution):
    """Numbers from `low`, which may be drawn, to `high`, which is not.

    >>> float(tf.compat.v1.distributions.Uniform(0.0, 4.0).prob(1.0))
    0.25
    """

    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform"):
        super().__init__(None, base.FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        low, high = base.floats(low, high)
        check = [lambda: asserts.assert_less(low, high, message="uniform not defined when low >= high.")]
        self._low = base.checked(low, check, validate_args)
        self._high = high
        self._dtype, self._shaped_by = self._low.dtype, (self._low, self._high)

    low = property(lambda self: self._low, doc="The lower end.")
    high = property(lambda self: self._high, doc="The upper end.")

    PARAMETERS: tuple[str, ...] = ("low", "high")

    def range(self, name="range"):
        """`high - low`."""
        with self._name_scope(name):
            return self._high - self._low

    def _sample_n(self, n, seed=None):
        return self._low + self.range() * sampling.uniform(self._with_batch(n), dtype=self._dtype, seed=seed)

    def _prob(self, x):
        height = creation.ones_like(x) / self.range()
        inside = arithmetic.where((x < self._low) | (x >= self._high), creation.zeros_like(height), height)
        return arithmetic.where(unary.is_nan(x), x, inside)

    def _cdf(self, x):
        share = (x - self._low) / self.range()
        return arithmetic.where(x < self._low, 0.0, arithmetic.where(x >= self._high, 1.0, share))

    def _mean(self):
        return (self._low + self._high) / 2.0

    def _variance(self):
        return unary.square(self.range()) / 12.0

    def _stddev(self):
        return self.range() / math.sqrt(12.0)

    def _entropy(self):
        return unary.log(self.range())
