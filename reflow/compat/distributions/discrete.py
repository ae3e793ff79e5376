"""Distributions of whole numbers: Bernoulli, categorical, multinomial, Dirichlet-multinomial."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.control.functional import map_fn
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce, special, unary
from reflow.api.nn import activations
from reflow.api.nn import losses as nn_losses
from reflow.api.random import sampling
from reflow.compat.distributions.base import NOT_REPARAMETERIZED, Distribution, checked, derived_seed, outer_covariance
from reflow.compat.distributions.divergence import RegisterKL
from reflow.compat.distributions.positive import Shares
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


def _logits_and_probs(logits: Any, probs: Any, validate: bool, several: bool = False) -> tuple[Any, Any]:
    """Logits and probabilities, from the one that is given; with `several`, probabilities add up to 1."""
    if (logits is None) == (probs is None):
        raise ValueError("Must pass probs or logits, but not both.")
    if logits is not None:
        logits = convert_to_tensor(logits)
        if not logits.dtype.is_floating:
            raise TypeError("logits must having floating type.")
        return logits, activations.softmax(logits) if several else unary.sigmoid(logits)
    probs = convert_to_tensor(probs)
    if not probs.dtype.is_floating:
        raise TypeError("probs must having floating type.")
    return with_logits(probs, several, validate)


def with_logits(probs: Any, several: bool, validate: bool) -> tuple[Any, Any]:
    """Logits and probabilities; with `several`, they belong to one event and must add up to 1."""
    one = creation.ones([], probs.dtype)
    checks = [lambda: asserts.assert_non_negative(probs)]
    if several:
        checks.append(
            lambda: asserts.assert_near(reduce.reduce_sum(probs, -1), one, message="probs does not sum to 1.")
        )
    else:
        checks.append(lambda: asserts.assert_less_equal(probs, one, message="probs has components greater than 1."))
    probs = checked(probs, checks, validate)
    return unary.log(probs) if several else unary.log(probs) - unary.log1p(-probs), probs


class _OfChances(Distribution):
    """A distribution given by probabilities or by logits."""

    _logits: Any
    _probs: Any

    logits = property(lambda self: self._logits, doc="The logits of the chances.")
    probs = property(lambda self: self._probs, doc="The chances.")


@export("compat.v1.distributions.Bernoulli")
class Bernoulli(_OfChances):
    """1 with the chance `probs`, else 0.

    >>> round(float(tf.compat.v1.distributions.Bernoulli(probs=0.25).prob(1)), 4)
    0.25
    """

    def __init__(
        self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True, name="Bernoulli",
    ):
        super().__init__(
            dtypes.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name
        )
        self._logits, self._probs = _logits_and_probs(logits, probs, validate_args)
        self._shaped_by = (self._logits,)

    PARAMETERS: tuple[str, ...] = ("logits",)

    def _sample_n(self, n, seed=None):
        drawn = sampling.uniform(self._with_batch(n), dtype=self._probs.dtype, seed=seed)
        return arithmetic.cast(drawn < self._probs, self._dtype)

    def _log_prob(self, event):
        event = arithmetic.cast(event, self._logits.dtype)
        shape = arrange.broadcast_dynamic_shape(arrange.shape(event), arrange.shape(self._logits))
        event, logits = (arrange.broadcast_to(part, shape) for part in (event, self._logits))
        return -nn_losses.sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self):
        return -self._logits * (unary.sigmoid(self._logits) - 1.0) + activations.softplus(-self._logits)

    def _mean(self):
        return arrange.identity(self._probs)

    def _variance(self):
        return self._probs * (1.0 - self._probs)

    def _mode(self):
        return arithmetic.cast(self._probs > 0.5, self._dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoullis(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    softplus = activations.softplus
    yes = unary.sigmoid(a.logits) * (softplus(-b.logits) - softplus(-a.logits))
    return yes + unary.sigmoid(-a.logits) * (softplus(b.logits) - softplus(a.logits))


@export("compat.v1.distributions.Categorical")
class Categorical(_OfChances):
    """One of several classes, by its number.

    >>> round(float(tf.compat.v1.distributions.Categorical(probs=[0.25, 0.75]).prob(1)), 4)
    0.75
    """

    def __init__(
        self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True,
        name="Categorical",
    ):
        super().__init__(
            dtypes.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name
        )
        self._logits, self._probs = _logits_and_probs(logits, probs, validate_args, several=True)
        self._shaped_by = (self._logits[..., 0],)

    @property
    def event_size(self):
        """How many classes there are."""
        static = self._logits.shape[-1]
        return arrange.shape(self._logits)[-1] if static is None else convert_to_tensor(static, dtypes.int32)

    def _sample_n(self, n, seed=None):
        flat = arrange.reshape(self._logits, arrange.stack([-1, self.event_size]))
        kind = dtypes.int64 if self._dtype.size > 4 else dtypes.int32
        drawn = arrange.transpose(sampling.categorical(flat, n, kind, seed))
        return arithmetic.cast(arrange.reshape(drawn, self._with_batch(n)), self._dtype)

    def _with_classes(self, k: Any, values: Any) -> tuple[Any, Any]:
        """Classes, and numbers of every class, of one shape."""
        shape = arrange.broadcast_dynamic_shape(arrange.shape(k), arrange.shape(values)[:-1])
        return (
            arrange.broadcast_to(k, shape), arrange.broadcast_to(values, arrange.concat([shape, [self.event_size]], 0))
        )

    def _log_prob(self, k):
        k, logits = self._with_classes(arithmetic.cast(k, dtypes.int32), self._logits)
        return -nn_losses.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k):
        k, probs = self._with_classes(arithmetic.cast(k, dtypes.int32), self._probs)
        before = creation.range(self.event_size) < k[..., None]
        return reduce.reduce_sum(arithmetic.where(before, probs, creation.zeros_like(probs)), -1)

    def _entropy(self):
        return -reduce.reduce_sum(activations.log_softmax(self._logits) * self._probs, -1)

    def _mode(self):
        return arithmetic.cast(reduce.argmax(self._logits, -1), self._dtype)


@RegisterKL(Categorical, Categorical)
def _kl_categoricals(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    change = activations.log_softmax(a.logits) - activations.log_softmax(b.logits)
    return reduce.reduce_sum(activations.softmax(a.logits) * change, -1)


def _log_combinations(n: Any, counts: Any) -> Any:
    """The logarithm of the number of orders of `n` draws with these counts."""
    return special.lgamma(n + 1.0) - reduce.reduce_sum(special.lgamma(counts + 1.0), -1)


def _checked_counts(counts: Any, total: Any, validate: bool) -> Any:
    message = "counts must sum to `self.total_count`"
    checks = [lambda: asserts.assert_non_negative(counts),
              lambda: asserts.assert_equal(total, reduce.reduce_sum(counts, -1), message=message)]
    return checked(counts, checks, validate)


def _drawn_counts(logits: Any, draws: Any, seed: int | None, dtype: Any) -> Any:
    """Counts how often each class is drawn, for each row of logits."""
    classes = sampling.categorical(logits, draws, dtypes.int64, seed)
    return reduce.reduce_sum(creation.one_hot(classes, arrange.shape(logits)[-1], dtype=dtype), -2)


@export("compat.v1.distributions.Multinomial")
class Multinomial(_OfChances):
    """How often each class comes in `total_count` draws.

    >>> tf.compat.v1.distributions.Multinomial(4.0, probs=[0.25, 0.75]).mean().numpy().tolist()
    [1.0, 3.0]
    """

    EVENT_DIMS = 1

    def __init__(
        self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Multinomial"
    ):
        super().__init__(None, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        count = convert_to_tensor(total_count)
        self._total_count = checked(count, [lambda: asserts.assert_non_negative(count)], validate_args)
        self._logits, self._probs = _logits_and_probs(logits, probs, validate_args, several=True)
        self._mean_val = self._total_count[..., None] * self._probs
        self._dtype, self._shaped_by = self._probs.dtype, (self._mean_val,)

    total_count = property(lambda self: self._total_count, doc="How many draws there are.")

    def _sample_n(self, n, seed=None):
        size = self.event_shape_tensor()[0]
        draws = arithmetic.cast(self._total_count, dtypes.int32)
        members = arrange.shape(self._mean_val)
        flat_logits = arrange.reshape(arrange.broadcast_to(self._logits, members), arrange.stack([-1, size]))
        flat_draws = arrange.reshape(arrange.broadcast_to(draws, members[:-1]), [-1])

        def one(member):
            logits, draws = member
            classes = sampling.categorical(logits[None], n * draws, dtypes.int64, seed)
            rows = arrange.reshape(classes, arrange.stack([n, -1]))
            return reduce.reduce_sum(creation.one_hot(rows, size, dtype=self._dtype), -2)

        counts = arrange.transpose(map_fn(one, (flat_logits, flat_draws), dtype=self._dtype), [1, 0, 2])
        return arrange.reshape(counts, arrange.concat([[n], members], 0))

    def _log_prob(self, counts):
        counts = _checked_counts(counts, self._total_count, self._validate_args)
        chances = reduce.reduce_sum(counts * activations.log_softmax(self._logits), -1)
        return chances + _log_combinations(self._total_count, counts)

    def _mean(self):
        return arrange.identity(self._mean_val)

    def _variance(self):
        return self._mean_val - self._mean_val * self._probs

    def _covariance(self):
        p = self._probs * creation.ones_like(self._total_count)[..., None]
        return outer_covariance(self._mean_val, p, self._variance())


@export("compat.v1.distributions.DirichletMultinomial")
class DirichletMultinomial(Shares):
    """Counts of classes in `total_count` draws whose probabilities come from a Dirichlet distribution.

    >>> tf.compat.v1.distributions.DirichletMultinomial(4.0, [1.0, 3.0]).mean().numpy().tolist()
    [1.0, 3.0]
    """

    def __init__(
        self, total_count, concentration, validate_args=False, allow_nan_stats=True, name="DirichletMultinomial"
    ):
        super().__init__(None, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, locals(), name=name)
        self._weigh(concentration, "Concentration parameter must be positive.")
        count = convert_to_tensor(total_count, self._concentration.dtype)
        self._total_count = checked(count, [lambda: asserts.assert_non_negative(count)], validate_args)
        self._dtype = self._concentration.dtype
        self._shaped_by = (self._total_count[..., None], self._concentration)

    total_count = property(lambda self: self._total_count, doc="How many draws there are.")

    def _sample_n(self, n, seed=None):
        size = self.event_shape_tensor()[0]
        logits = unary.log(sampling.gamma([n], self._concentration, dtype=self._dtype, seed=seed))
        draws = arithmetic.cast(self._total_count, dtypes.int32)
        flat = arrange.reshape(logits, arrange.stack([-1, size]))
        counts = _drawn_counts(flat, draws, derived_seed(seed, "dirichlet_multinomial"), self._dtype)
        return arrange.reshape(counts, arrange.concat([[n], self.batch_shape_tensor(), [size]], 0))

    def _log_prob(self, counts):
        counts = _checked_counts(counts, self._total_count, self._validate_args)
        both = special.lbeta(self._concentration + counts) - special.lbeta(self._concentration)
        return both + _log_combinations(self._total_count, counts)

    def _mean(self):
        return self._total_count[..., None] * (self._concentration / self._total[..., None])

    def _scale(self) -> Any:
        total = self._total[..., None]
        return unary.sqrt((1.0 + total / self._total_count[..., None]) / (1.0 + total))

    def _variance(self):
        x = self._scale() * self._mean()
        return x * (self._total_count[..., None] * self._scale() - x)

    def _covariance(self):
        x = self._scale() * self._mean()
        return outer_covariance(x, x, self._variance())
