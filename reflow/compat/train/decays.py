"""Learning rates that depend on the step.

In a graph they are tensors. In eager code they are functions without arguments, which an optimizer calls at each step:
the step is a variable.
"""

from __future__ import annotations

import math

from reflow.api.control.branches import case
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic, unary
from reflow.api.random import sampling
from reflow.api.scoped import scoped
from reflow.core.context import state
from reflow.ops.convert import constant, convert_to_tensor


def _scheduled(compute):
    """The rate as a tensor, or in eager code as a function that computes it now."""
    return compute() if state.graph is not None else compute


def _as(value, dtype):
    return arithmetic.cast(convert_to_tensor(value), dtype)


def _periods(global_step, decay_steps, staircase, dtype):
    """How many periods of decay have passed: whole ones only if `staircase`."""
    steps = _as(global_step, dtype) / _as(decay_steps, dtype)
    return unary.floor(steps) if staircase else steps


def _needs_step(global_step, name: str):
    if global_step is None:
        raise ValueError(f"global_step is required for {name}.")


_DECAY = """\
Args:
  learning_rate: The first rate.
  global_step: The step, a number, a tensor or a variable.
  decay_steps: The length of a period, in steps.
  decay_rate: {rate}.
  staircase: Whether the rate changes only at the end of each period.
  num_periods: How many periods the cosine has.
  beta: What is added at the end.
  name: A name for the operation.

Returns:
  The rate as a scalar tensor, or in eager code as a function without arguments that computes it.

Raises:
  ValueError: `global_step` is None.
"""


@export("compat.v1.train.exponential_decay")
@with_sections(_DECAY, rate="The factor")
@scoped("ExponentialDecay", result=True)
def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """Computes a rate that is multiplied by `decay_rate` every `decay_steps` steps.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.train.exponential_decay(1.0, 20, 10, 0.5)).item()
    0.25
    """
    _needs_step(global_step, "exponential_decay")

    def compute():
        rate = convert_to_tensor(learning_rate)
        steps = _periods(global_step, decay_steps, staircase, rate.dtype)
        return arithmetic.multiply(rate, arithmetic.pow(_as(decay_rate, rate.dtype), steps), name)

    return _scheduled(compute)


@export("compat.v1.train.piecewise_constant", "compat.v1.train.piecewise_constant_decay")
@scoped("PiecewiseConstant")
def piecewise_constant(x, boundaries, values, name=None):
    """Returns `values[i]` while the step is at most `boundaries[i]`, and the last value beyond.

    Args:
      x: The step, a number, a tensor or a variable.
      boundaries: Steps in ascending order, of the dtype of `x`.
      values: The rates, one more than there are boundaries.
      name: Has no effect.

    Returns:
      The rate as a scalar tensor, or in eager code as a function without arguments that computes it.

    Raises:
      ValueError: The lengths do not fit, or the boundaries have another dtype than `x`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.train.piecewise_constant(15, [10, 20], [1.0, 0.5, 0.1])).item()
    0.5
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def compute():
        step = convert_to_tensor(x)
        limits = [convert_to_tensor(b, None if hasattr(b, "dtype") else step.dtype) for b in boundaries]
        levels = [convert_to_tensor(v) for v in values]
        for limit in limits:
            if limit.dtype != step.dtype:
                raise ValueError(
                    f"`boundaries` ({limit.dtype}) must have the same dtype as x ({step.dtype})."
                )
        pairs: list = [(arithmetic.less_equal(step, limits[0]), lambda: levels[0])] if limits else []
        for low, high, level in zip(limits, limits[1:], levels[1:], strict=False):
            inside = arithmetic.logical_and(arithmetic.greater(step, low), arithmetic.less_equal(step, high))
            pairs.append((inside, lambda level=level: level))
        if not pairs:
            return levels[0]
        pairs.append((arithmetic.greater(step, limits[-1]), lambda: levels[-1]))
        return case(pairs, lambda: levels[0], exclusive=True)

    return _scheduled(compute)


@export("compat.v1.train.polynomial_decay")
@with_sections(_DECAY)
@scoped("PolynomialDecay", result=True)
def polynomial_decay(
    learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None
):
    """Computes a rate that falls to `end_learning_rate` in `decay_steps` steps, along a polynomial.

    Args:
      end_learning_rate: The last rate.
      power: The power of the polynomial.
      cycle: Whether the period is made longer when its end is passed; otherwise the last rate stays.

    >>> round(tf.compat.v1.train.polynomial_decay(
    ...     0.1, global_step=5, decay_steps=10, end_learning_rate=0.0
    ... )().numpy().item(), 4)
    0.05
    """
    _needs_step(global_step, "polynomial_decay")

    def compute():
        rate = convert_to_tensor(learning_rate)
        kind = rate.dtype
        step, period, last = _as(global_step, kind), _as(decay_steps, kind), _as(end_learning_rate, kind)
        if cycle:
            rounds = arithmetic.where(
                arithmetic.equal(step, _as(0, kind)), _as(1.0, kind), unary.ceil(step / period)
            )
            period = period * rounds
        else:
            step = arithmetic.minimum(step, period)
        share = _as(1.0, kind) - step / period
        return arithmetic.add((rate - last) * arithmetic.pow(share, _as(power, kind)), last, name)

    return _scheduled(compute)


@export("compat.v1.train.natural_exp_decay")
@with_sections(_DECAY, rate="How fast the rate falls")
def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """Computes `learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    >>> rate = tf.compat.v1.train.natural_exp_decay(0.1, global_step=10, decay_steps=10, decay_rate=0.5)
    >>> f"{rate().numpy():.4f}"      # 0.1 / √e
    '0.0607'
    """
    natural = unary.exp(
        unary.negative(convert_to_tensor(float(decay_rate) if isinstance(decay_rate, int) else decay_rate))
    )
    return exponential_decay(learning_rate, global_step, decay_steps, natural, staircase, name)


@export("compat.v1.train.inverse_time_decay")
@with_sections(_DECAY, rate="How fast the rate falls")
@scoped("InverseTimeDecay", result=True)
def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """Computes `learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    >>> round(
    ...     tf.compat.v1.train.inverse_time_decay(0.1, global_step=10, decay_steps=10, decay_rate=1.0)().numpy().item(),
    ...     4,
    ... )
    0.05
    """
    _needs_step(global_step, "inverse_time_decay")

    def compute():
        rate = convert_to_tensor(learning_rate)
        steps = _periods(global_step, decay_steps, staircase, rate.dtype)
        return arithmetic.divide(rate, _as(1.0, rate.dtype) + _as(decay_rate, rate.dtype) * steps, name)

    return _scheduled(compute)


def _cosine(share):
    pi = constant(math.pi, share.dtype)
    return _as(0.5, share.dtype) * (_as(1.0, share.dtype) + unary.cos(pi * share))


@export("compat.v1.train.cosine_decay")
@with_sections(_DECAY)
@scoped("CosineDecay")
def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Computes a rate that falls along half a cosine to the share `alpha` of the first.

    Args:
      alpha: The share of the first rate that is left at the end.

    >>> [round(tf.compat.v1.train.cosine_decay(0.1, step, decay_steps=10)().numpy().item(), 3) for step in (0, 5, 10)]
    [0.1, 0.05, 0.0]
    """
    _needs_step(global_step, "cosine decay")

    def compute():
        rate = convert_to_tensor(learning_rate)
        step = arithmetic.minimum(_as(global_step, rate.dtype), _as(decay_steps, rate.dtype))
        fallen = _as(1 - alpha, rate.dtype) * _cosine(step / _as(decay_steps, rate.dtype)) + _as(alpha, rate.dtype)
        return arithmetic.multiply(rate, fallen, name)

    return _scheduled(compute)


@export("compat.v1.train.cosine_decay_restarts")
@with_sections(_DECAY)
@scoped("SGDRDecay", result=True)
def cosine_decay_restarts(
    learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None
):
    """Computes a cosine decay that starts again after each period.

    Args:
      first_decay_steps: The length of the first period, in steps.
      t_mul: How much longer each period is than the one before.
      m_mul: How much higher its first rate is.
      alpha: The share of the first rate that is left at the end.

    >>> round(tf.compat.v1.train.cosine_decay_restarts(0.1, global_step=10, first_decay_steps=10)().numpy().item(), 4)
    0.1
    """
    _needs_step(global_step, "cosine decay restarts")

    def compute():
        rate = convert_to_tensor(learning_rate)
        kind = rate.dtype
        longer, lower, one = _as(t_mul, kind), _as(m_mul, kind), _as(1.0, kind)
        share = _as(global_step, kind) / _as(first_decay_steps, kind)
        if t_mul == 1.0:
            restart = unary.floor(share)
            share = share - restart
        else:
            restart = unary.floor(unary.log(one - share * (one - longer)) / unary.log(longer))
            begun = (one - arithmetic.pow(longer, restart)) / (one - longer)
            share = (share - begun) / arithmetic.pow(longer, restart)
        fallen = arithmetic.pow(lower, restart) * _cosine(share)
        return arithmetic.multiply(rate, _as(1 - alpha, kind) * fallen + _as(alpha, kind), name)

    return _scheduled(compute)


@export("compat.v1.train.linear_cosine_decay")
@with_sections(_DECAY)
@scoped("LinearCosineDecay", result=True)
def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """Computes `learning_rate * ((alpha + linear decay) * cosine decay + beta)`.

    Args:
      alpha: What is added to the linear decay.

    >>> round(tf.compat.v1.train.linear_cosine_decay(0.1, global_step=5, decay_steps=10)().numpy().item(), 4)
    0.0251
    """
    return _linear_cosine(learning_rate, global_step, decay_steps, num_periods, alpha, beta, name, None)


@export("compat.v1.train.noisy_linear_cosine_decay")
@with_sections(_DECAY)
@scoped("NoisyLinearCosineDecay", result=True)
def noisy_linear_cosine_decay(
    learning_rate, global_step, decay_steps, initial_variance=1.0, variance_decay=0.55, num_periods=0.5, alpha=0.0,
    beta=0.001, name=None,
):
    """Computes a linear cosine decay with normal noise, whose variance falls with the step.

    Args:
      initial_variance: The first variance of the noise.
      variance_decay: The power of the step by which the variance is divided.
      alpha: What is added to the linear decay.

    >>> round(tf.compat.v1.train.noisy_linear_cosine_decay(
    ...     0.1, 5, decay_steps=10, initial_variance=1e-12
    ... )().numpy().item(), 4)
    0.0251
    """

    def noise(step):
        one = _as(1.0, step.dtype)
        variance = _as(initial_variance, step.dtype) / arithmetic.pow(one + step, _as(variance_decay, step.dtype))
        return sampling.normal(step.shape, stddev=1.0, dtype=step.dtype) * unary.sqrt(variance)

    return _linear_cosine(learning_rate, global_step, decay_steps, num_periods, alpha, beta, name, noise)


def _linear_cosine(learning_rate, global_step, decay_steps, num_periods, alpha, beta, name, noise):
    _needs_step(global_step, "linear cosine decay")

    def compute():
        rate = convert_to_tensor(learning_rate)
        kind = rate.dtype
        period = _as(decay_steps, kind)
        step = arithmetic.minimum(_as(global_step, kind), period)
        linear = (period - step) / period
        if noise is not None:
            linear = linear + noise(step)
        turns = _as(2.0 * num_periods, kind) * (step / period)
        factor = (_as(alpha, kind) + linear) * _cosine(turns) + _as(beta, kind)
        return arithmetic.multiply(rate, factor, name)

    return _scheduled(compute)


