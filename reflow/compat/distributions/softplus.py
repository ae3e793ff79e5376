"""Distributions whose positive parameters are the softplus of the given ones, so that an optimizer may use any number.

TensorFlow has them next to the distributions, as private classes.
"""

from __future__ import annotations

from reflow.api.export import export
from reflow.api.math import unary
from reflow.api.nn.activations import softplus
from reflow.compat.distributions.positive import Beta, Exponential, Gamma
from reflow.compat.distributions.real import Laplace, Normal, StudentT


class _SoftplusScale:
    """A distribution with a location and a scale, where the scale is the softplus of the argument."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name=None):
        # of the class it is mixed with
        super().__init__(loc, softplus(scale), validate_args, allow_nan_stats, name or type(self).__name__)  # type: ignore[call-arg]


@export("__internal__.distributions.NormalWithSoftplusScale")
class NormalWithSoftplusScale(_SoftplusScale, Normal):
    """`Normal` with the scale `softplus(scale)`.

    >>> float(NormalWithSoftplusScale(0.0, 0.0).scale.numpy().round(4))
    0.6930999755859375
    """


@export("__internal__.distributions.LaplaceWithSoftplusScale")
class LaplaceWithSoftplusScale(_SoftplusScale, Laplace):
    """`Laplace` with the scale `softplus(scale)`.

    >>> float(LaplaceWithSoftplusScale(0.0, 0.0).scale.numpy().round(4))
    0.6930999755859375
    """


@export("__internal__.distributions.StudentTWithAbsDfSoftplusScale")
class StudentTWithAbsDfSoftplusScale(StudentT):
    """`StudentT` with the degrees of freedom `floor(abs(df))` and the scale `softplus(scale)`.

    >>> float(StudentTWithAbsDfSoftplusScale(-2.5, 0.0, 0.0).df)
    2.0
    """

    def __init__(
        self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentTWithAbsDfSoftplusScale"
    ):
        super().__init__(unary.floor(unary.abs(df)), loc, softplus(scale), validate_args, allow_nan_stats, name)


@export("__internal__.distributions.BetaWithSoftplusConcentration")
class BetaWithSoftplusConcentration(Beta):
    """`Beta` with the softplus of both concentrations.

    >>> float(BetaWithSoftplusConcentration(0.0, 0.0).mean())
    0.5
    """

    def __init__(
        self, concentration1, concentration0, validate_args=False, allow_nan_stats=True,
        name="BetaWithSoftplusConcentration",
    ):
        super().__init__(softplus(concentration1), softplus(concentration0), validate_args, allow_nan_stats, name)


@export("__internal__.distributions.GammaWithSoftplusConcentrationRate")
class GammaWithSoftplusConcentrationRate(Gamma):
    """`Gamma` with the softplus of concentration and rate.

    >>> float(GammaWithSoftplusConcentrationRate(0.0, 0.0).mean())
    1.0
    """

    def __init__(
        self, concentration, rate, validate_args=False, allow_nan_stats=True, name="GammaWithSoftplusConcentrationRate"
    ):
        super().__init__(softplus(concentration), softplus(rate), validate_args, allow_nan_stats, name)


@export("__internal__.distributions.ExponentialWithSoftplusRate")
class ExponentialWithSoftplusRate(Exponential):
    """`Exponential` with the rate `softplus(rate)`.

    >>> float(ExponentialWithSoftplusRate(0.0).rate.numpy().round(4))
    0.6930999755859375
    """

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="ExponentialWithSoftplusRate"):
        super().__init__(softplus(rate), validate_args, allow_nan_stats, name)
