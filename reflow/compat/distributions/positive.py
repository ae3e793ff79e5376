"""Distributions of positive numbers and of proportions: gamma, exponential, beta, Dirichlet."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import creation
from reflow.api.control.printing import assert_
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce, special, unary
from reflow.api.random import sampling
from reflow.compat.distributions import base
from reflow.compat.distributions.divergence import RegisterKL


def positive(value: Any, validate: bool, like: Any = None, message: str | None = None) -> Any:
    """A parameter that must be positive."""
    tensor = base.floats(value)[0] if like is None else base.floats(value, like)[0]
    return base.checked(tensor, [lambda: asserts.assert_positive(tensor, message=message)], validate)


def _unless_boundary(distribution: base.Distribution, defined: Any, value: Any, message: str) -> Any:
    """A mode, where it is defined; elsewhere NaN, or an error."""
    if distribution.allow_nan_stats:
        return base.nan_unless(defined, value)
    return base.checked(value, [lambda: assert_(reduce.reduce_all(defined), [message])], True)


@export("compat.v1.distributions.Gamma")
class Gamma(base.Distribution):
    """The gamma distribution of shape `concentration` and inverse scale `rate`.

    >>> float(tf.compat.v1.distributions.Gamma(3.0, 2.0).mean())
    1.5
    """

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="Gamma"):
        super().__init__(None, base.FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        self._concentration = positive(concentration, validate_args)
        self._rate = positive(rate, validate_args, self._concentration)
        self._dtype, self._shaped_by = self._concentration.dtype, (self._concentration, self._rate)

    concentration = property(lambda self: self._concentration, doc="The shape parameter.")
    rate = property(lambda self: self._rate, doc="The inverse of the scale.")

    PARAMETERS: tuple[str, ...] = ("concentration", "rate")

    def _checked_sample(self, x: Any) -> Any:
        return base.checked(x, [lambda: asserts.assert_positive(x)], self._validate_args)

    def _sample_n(self, n, seed=None):
        return sampling.gamma([n], self._concentration, self._rate, self._dtype, seed)

    def _log_prob(self, x):
        x = self._checked_sample(x)
        norm = special.lgamma(self._concentration) - self._concentration * unary.log(self._rate)
        return (self._concentration - 1.0) * unary.log(x) - self._rate * x - norm

    def _cdf(self, x):
        return special.igamma(self._concentration + creation.zeros_like(x), self._rate * self._checked_sample(x))

    def _entropy(self):
        c = self._concentration
        return c - unary.log(self._rate) + special.lgamma(c) + (1.0 - c) * special.digamma(c)

    def _mean(self):
        return self._concentration / self._rate

    def _variance(self):
        return self._concentration / unary.square(self._rate)

    def _stddev(self):
        return unary.sqrt(self._concentration) / self._rate

    def _mode(self):
        value = (self._concentration - 1.0) / self._rate
        return _unless_boundary(
            self, self._concentration + 0.0 * value > 1.0, value, "mode not defined when any concentration <= 1"
        )


@RegisterKL(Gamma, Gamma)
def _kl_gammas(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    digamma = special.digamma(a.concentration)
    return (
        (a.concentration - b.concentration) * digamma + special.lgamma(b.concentration)
        - special.lgamma(a.concentration)
        + b.concentration * (unary.log(a.rate) - unary.log(b.rate)) + a.concentration * (b.rate / a.rate - 1.0)
    )


@export("compat.v1.distributions.Exponential")
class Exponential(Gamma):
    """The exponential distribution: times between events of which there are `rate` in a unit of time.

    >>> float(tf.compat.v1.distributions.Exponential(4.0).mean())
    0.25
    """

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="Exponential"):
        (rate,) = base.floats(rate)
        super().__init__(creation.ones([], rate.dtype), rate, validate_args, allow_nan_stats, name)
        self._given = {"rate": rate, "validate_args": validate_args, "allow_nan_stats": allow_nan_stats, "name": name}

    PARAMETERS: tuple[str, ...] = ("rate",)

    def _sample_n(self, n, seed=None):
        tiny = np.finfo(self._dtype.as_numpy_dtype).tiny
        return -unary.log(sampling.uniform(self._with_batch(n), tiny, 1.0, self._dtype, seed)) / self._rate

    def _log_survival_function(self, value):
        return -self._rate * value


@export("compat.v1.distributions.Beta")
class Beta(base.Distribution):
    """The beta distribution on numbers between 0 and 1.

    >>> float(tf.compat.v1.distributions.Beta(1.0, 3.0).mean())
    0.25
    """

    def __init__(
        self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Beta"
    ):
        super().__init__(None, base.FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        message = "Concentration parameter must be positive."
        self._concentration1 = positive(concentration1, validate_args, message=message)
        self._concentration0 = positive(concentration0, validate_args, self._concentration1, message)
        self._total = self._concentration1 + self._concentration0
        self._dtype, self._shaped_by = self._total.dtype, (self._total,)

    concentration1 = property(lambda self: self._concentration1, doc="The weight of 1.")
    concentration0 = property(lambda self: self._concentration0, doc="The weight of 0.")
    total_concentration = property(lambda self: self._total, doc="The sum of both weights.")

    PARAMETERS: tuple[str, ...] = ("concentration1", "concentration0")

    def _wide(self) -> tuple[Any, Any]:
        ones = creation.ones_like(self._total)
        return ones * self._concentration1, ones * self._concentration0

    def _sample_n(self, n, seed=None):
        one, zero = self._wide()
        first = sampling.gamma([n], one, dtype=self._dtype, seed=seed)
        second = sampling.gamma([n], zero, dtype=self._dtype, seed=base.derived_seed(seed, "beta"))
        return first / (first + second)

    def _checked_sample(self, x: Any) -> Any:
        one = creation.ones([], self._dtype)
        checks = [lambda: asserts.assert_positive(x, message="sample must be positive"),
                  lambda: asserts.assert_less(x, one, message="sample must be less than `1`.")]
        return base.checked(x, checks, self._validate_args)

    def _log_norm(self) -> Any:
        return special.lgamma(self._concentration1) + special.lgamma(self._concentration0) - special.lgamma(self._total)

    def _log_prob(self, x):
        x = self._checked_sample(x)
        ones, zeros = (self._concentration1 - 1.0) * unary.log(x), (self._concentration0 - 1.0) * unary.log1p(-x)
        return ones + zeros - self._log_norm()

    def _cdf(self, x):
        one, zero = (part + creation.zeros_like(x) for part in self._wide())
        return special.betainc(one, zero, self._checked_sample(x) + creation.zeros_like(one))

    def _entropy(self):
        one, zero, total = self._concentration1, self._concentration0, self._total
        return (
            self._log_norm() - (one - 1.0) * special.digamma(one) - (zero - 1.0) * special.digamma(zero)
            + (total - 2.0) * special.digamma(total)
        )

    def _mean(self):
        return self._concentration1 / self._total

    def _variance(self):
        return self._mean() * (1.0 - self._mean()) / (1.0 + self._total)

    def _mode(self):
        one, zero = self._wide()
        value = (one - 1.0) / (self._total - 2.0)
        return _unless_boundary(self, (one > 1.0) & (zero > 1.0), value, "Mode undefined for concentration <= 1.")


@RegisterKL(Beta, Beta)
def _kl_betas(a: Beta, b: Beta, name: str | None = None) -> Any:
    return (
        b._log_norm() - a._log_norm() - special.digamma(a.concentration1) * (b.concentration1 - a.concentration1)
        - special.digamma(a.concentration0) * (b.concentration0 - a.concentration0)
        + special.digamma(a.total_concentration) * (b.total_concentration - a.total_concentration)
    )


class Shares(base.Distribution):
    """A distribution whose parameter is a vector of weights, `concentration`."""

    EVENT_DIMS = 1
    _concentration: Any
    _total: Any

    concentration = property(lambda self: self._concentration, doc="The weights.")
    total_concentration = property(lambda self: self._total, doc="Their sum.")

    def _weigh(self, concentration: Any, message: str) -> None:
        self._concentration = positive(concentration, self._validate_args, message=message)
        rank = self._concentration.shape.rank
        if rank is not None and rank < 1:
            raise ValueError("Concentration parameter must have at least one dimension.")
        if rank is not None and self._concentration.shape[-1] == 1:
            raise ValueError("Event shape must be greater than 1.")
        self._total = reduce.reduce_sum(self._concentration, -1)


@export("compat.v1.distributions.Dirichlet")
class Dirichlet(Shares):
    """The Dirichlet distribution: shares of a whole.

    >>> tf.compat.v1.distributions.Dirichlet([1.0, 3.0]).mean().numpy().tolist()
    [0.25, 0.75]
    """

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name="Dirichlet"):
        super().__init__(None, base.FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        self._weigh(concentration, "Concentration parameter must be positive.")
        self._dtype, self._shaped_by = self._concentration.dtype, (self._concentration,)

    def _sample_n(self, n, seed=None):
        drawn = sampling.gamma([n], self._concentration, dtype=self._dtype, seed=seed)
        return drawn / reduce.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x):
        close = creation.ones([], self._dtype)
        checks = [lambda: asserts.assert_positive(x, message="samples must be positive"), lambda: asserts.assert_near(
            close, reduce.reduce_sum(x, -1), message="sample last-dimension must sum to `1`"
        )]
        x = base.checked(x, checks, self._validate_args)
        return reduce.reduce_sum((self._concentration - 1.0) * unary.log(x), -1) - special.lbeta(self._concentration)

    def _size(self) -> Any:
        return arithmetic.cast(self.event_shape_tensor()[0], self._dtype)

    def _entropy(self):
        c, total = self._concentration, self._total
        rest = reduce.reduce_sum((c - 1.0) * special.digamma(c), -1)
        return special.lbeta(c) + (total - self._size()) * special.digamma(total) - rest

    def _mean(self):
        return self._concentration / self._total[..., None]

    def _scale(self) -> Any:
        return unary.rsqrt(1.0 + self._total[..., None])

    def _variance(self):
        x = self._scale() * self._mean()
        return x * (self._scale() - x)

    def _covariance(self):
        x = self._scale() * self._mean()
        return base.outer_covariance(x, x, self._variance())

    def _mode(self):
        value = (self._concentration - 1.0) / (self._total[..., None] - self._size())
        defined = reduce.reduce_all(self._concentration > 1.0, -1, keepdims=True)
        return _unless_boundary(self, defined | (value < -np.inf), value, "Mode undefined when any concentration <= 1")


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlets(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    change = special.digamma(a.concentration) - special.digamma(a.total_concentration[..., None])
    moved = reduce.reduce_sum((a.concentration - b.concentration) * change, -1)
    return moved - special.lbeta(a.concentration) + special.lbeta(b.concentration)
