"""Distributions drawn by rejection: gamma, Poisson, binomial. On the host only, in float64, all samples at once.

As in TensorFlow, output i owns the 256 blocks of the stream from 256 i on (42 for binomial numbers of a small mean),
and takes from them as many numbers as it needs. A `Lanes` is one such position for each output that has not been
accepted yet; a round tries all of them. Buffers of two numbers are emptied from the end.
- Gamma: Marsaglia and Tsang, *A simple method for generating gamma variables*.
- Poisson: Knuth below 10, from there on Hoermann's transformed rejection (PTRS).
- Binomial: sums of geometric numbers below a mean of 10, from there on Hoermann's BTRS.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.ops import philox
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.math.binary import random_gamma_grad
from reflow.ops.kernels.random.sampling import advance_state, check_algorithm, dims_of_operand, stream
from reflow.ops.registry import op
from reflow.ops.xp import host as xp

_REGION, _SMALL_REGION = 256, 42


class Lanes:
    """One stream for each output still wanted; `keep` drops the others."""

    def __init__(self, key, counter, outputs, region=_REGION):
        low, high = philox.counter_halves(xp, counter)
        self.key = key.reshape(())
        self.low, self.high = philox.advance(xp, low, high, outputs.astype(np.uint64) * np.uint64(region))
        self.used = np.zeros(outputs.shape, np.uint64)
        self.buffers = {
            name: [np.zeros((2, outputs.size)), np.zeros(outputs.size, np.int64)] for name in ("uniform", "normal")
        }

    def keep(self, mask):
        self.low, self.high, self.used = self.low[mask], self.high[mask], self.used[mask]
        for buffer in self.buffers.values():
            buffer[0], buffer[1] = buffer[0][:, mask], buffer[1][mask]

    def _draw(self, name, mask, make):
        """One number for each lane in `mask` (zero elsewhere)."""
        values, left = self.buffers[name]
        empty = mask & (left == 0)
        if empty.any():
            at = philox.advance(xp, self.low[empty], self.high[empty], self.used[empty])
            values[:, empty] = make(philox.philox(xp, self.key, *at))
            self.used[empty] += np.uint64(1)
            left[empty] = 2
        left[mask] -= 1
        out = np.zeros(mask.shape)
        out[mask] = values[left[mask], np.flatnonzero(mask)]
        return out

    def uniform(self, mask):
        return self._draw(
            "uniform", mask, lambda w: [philox.unit_float(xp, half, philox.F64) for half in (w[:2], w[2:])]
        )

    def normal(self, mask):
        return self._draw("normal", mask, lambda w: philox._pairs(xp, w, philox.F64))


def _until_accepted(key, counter, outputs, attempt, *parameters):
    """Rounds of `attempt(lanes, *parameters) -> (values, accepted)` until every output has its value."""
    result = np.zeros(outputs.shape)
    lanes, waiting = Lanes(key, counter, outputs), np.arange(outputs.size)
    while waiting.size:
        values, accepted = attempt(lanes, *[p[waiting] for p in parameters])
        result[waiting[accepted]] = values[accepted]
        lanes.keep(~accepted)
        waiting = waiting[~accepted]
    return result


def _per_parameter(key, counter, count, parameters, sample):
    """`count` samples for each parameter, as [count, parameters]; the stream's output i is for parameter i // count."""
    size = parameters[0].size
    outputs = np.arange(size * count)
    flat = sample(key, counter, outputs, *[np.repeat(p.astype(np.float64).reshape(-1), count) for p in parameters])
    return flat.reshape(size, count).T


# --- gamma ------------------------------------------------------------------------------------------------------------


def _gamma(key, counter, outputs, alpha):
    """NaN for an invalid alpha: an attempt with it would never be accepted."""
    result = np.where(alpha == np.inf, np.inf, np.nan)
    real = (alpha >= 0) & (alpha < np.inf)
    result[real] = _gamma_real(key, counter, outputs[real], alpha[real])
    return result


def _gamma_real(key, counter, outputs, alpha):
    small = alpha < 1
    d = alpha + np.where(small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)

    def attempt(lanes, alpha, small, d, c):
        one = alpha == 1.0
        x = lanes.normal(~one)
        v = 1 + c * x
        tried = (v > 0) & ~one
        v = v * v * v
        u = lanes.uniform(tried | one)
        good = tried & ((u < 1 - 0.0331 * (x * x) * (x * x)) | (np.log(u) < 0.5 * x * x + d * (1 - v + np.log(v))))
        boost = lanes.uniform(good & small)
        value = d * v * np.where(small, boost ** (1 / alpha), 1.0)
        return np.where(one, -np.log1p(-u), value), good | one

    return _until_accepted(key, counter, outputs, attempt, alpha, small, d, c)


def _no_gradient(name):
    def raises(*args):
        raise LookupError(f"No gradient defined for operation '{name}' (op type: {name}) in Reflow yet.")

    return raises


def _gamma_grad(xp, attrs, inputs, outputs, cts, wanted):
    """A sample moves with `alpha`, the last input; one parameter has many samples."""
    moved = random_gamma_grad.kernel(xp, inputs[-1], outputs[0])
    return (*[None] * (len(inputs) - 1), xp.sum_to_like(xp.multiply(cts[0], moved), inputs[-1]))


def _after_shape(f):
    """The shape operand, then the shape of the parameters (the last input).

    TensorFlow multiplies the sizes one by one.
    """
    first, rest = rules.as_shape(f.values[0], f.shapes[0]), f.shapes[-1]
    if first is None or rest is None:
        return [None]
    count = rules.product(first) or 0
    for size in rest if count < 2**63 else ():
        if size is not None and count * size >= 2**63:
            raise ValueError(f"Encountered overflow when multiplying {count} with {size}, result: -1")
        count *= size or 1
    return [first + rest]


@op("RandomGamma", fits="1", shape=_after_shape, static=("shape",), grad=_gamma_grad, host=True)
def random_gamma(_, shape, alpha, **attrs):
    dims = dims_of_operand(shape)
    out = dims + alpha.shape
    drawn = stream("RandomGamma", attrs, out)
    return _per_parameter(*drawn, math.prod(dims), [alpha], _gamma).reshape(out).astype(alpha.dtype)


def _check_end(dims, end):
    if dims[len(dims) - len(end) :] != end:
        raise ValueError(
            f"Shape passed in must end with broadcasted shape. {rules.text(dims)} does not end with {rules.text(end)}"
        )


def _full_samples(key, counter, dims, parameters, sample, dtype):
    """Samples of the full shape `dims`, which ends in the parameters' shape."""
    _check_end(dims, parameters[0].shape)
    size = math.prod(dims)
    if not size:
        return np.zeros(dims, dtype)
    count = size // parameters[0].size
    return _per_parameter(key, counter, count, parameters, sample).reshape(dims).astype(dtype)


@op("StatelessRandomGammaV3", fits="1 [1] 1 0", shape=rules.fill, static=("shape", "alg"), grad=_gamma_grad, host=True)
def stateless_gamma_v3(_, shape, key, counter, alg, alpha):
    check_algorithm(int(alg))
    return _full_samples(key, counter, dims_of_operand(shape), [alpha], _gamma, alpha.dtype)


@op("StatelessRandomGammaV2", fits="1 [2]", shape=rules.fill, static=("shape",), grad=_gamma_grad, host=True)
def stateless_gamma_v2(_, shape, seed, alpha):
    return _full_samples(*philox.scramble(xp, seed), dims_of_operand(shape), [alpha], _gamma, alpha.dtype)


# --- Poisson ----------------------------------------------------------------------------------------------------------


def _poisson(key, counter, outputs, rate):
    # what a negative or infinite rate gets: no attempt with it is ever accepted
    result = np.full(outputs.shape, np.nan)
    low, high = (rate < 10) & (rate >= 0), (rate >= 10) & (rate < np.inf)
    result[low] = _poisson_low(key, counter, outputs[low], rate[low])
    result[high] = _poisson_high(key, counter, outputs[high], rate[high])
    return result


def _poisson_low(key, counter, outputs, rate):
    """Multiply uniform numbers until they fall below exp(-rate)."""
    lanes, waiting = Lanes(key, counter, outputs), np.arange(outputs.size)
    result, product, limit = np.zeros(outputs.size), np.ones(outputs.size), np.exp(-rate)
    while waiting.size:
        product[waiting] *= lanes.uniform(np.ones(waiting.shape, bool))
        more = product[waiting] > limit[waiting]
        lanes.keep(more)
        waiting = waiting[more]
        result[waiting] += 1
    return result


def _poisson_high(key, counter, outputs, rate):
    def attempt(lanes, rate):
        everyone = np.ones(rate.shape, bool)
        b = 0.931 + 2.53 * np.sqrt(rate)
        a = -0.059 + 0.02483 * b
        u = lanes.uniform(everyone) - 0.5
        v = lanes.uniform(everyone)
        shifted = 0.5 - np.abs(u)
        k = np.floor((2 * a / shifted + b) * u + rate + 0.43)
        sure = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        bad = (k < 0) | ((shifted < 0.013) & (v > shifted))
        s = np.log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (shifted * shifted) + b))
        t = -rate + k * np.log(rate) - np.asarray(xp.lgamma(np.maximum(k, 0) + 1))
        return k, sure | (~bad & (s <= t))

    return _until_accepted(key, counter, outputs, attempt, rate)


@op(
    "RandomPoissonV2", fits="1", shape=_after_shape, static=("shape",), grad=_no_gradient("RandomPoissonV2"),
    host=True,
)
def random_poisson(_, shape, rate, **attrs):
    dims = dims_of_operand(shape)
    out = dims + rate.shape
    dtype = attrs["dtype"].np_dtype if "dtype" in attrs else np.dtype(np.int64)
    drawn = stream("RandomPoissonV2", attrs, out)
    return _per_parameter(*drawn, math.prod(dims), [rate], _poisson).reshape(out).astype(dtype)


@op("RandomPoisson", shape=_after_shape, static=("shape",), grad=_no_gradient("RandomPoisson"), host=True)
def random_poisson_of_rate(xp, shape, rate, **attrs):
    """Poisson samples in the dtype of the rate."""
    return random_poisson.kernel(xp, shape, rate, **{k: v for k, v in attrs.items() if k != "dtype"}).astype(rate.dtype)


@op(
    "StatelessRandomPoisson", fits="1 [2]", shape=rules.fill, static=("shape",),
    grad=_no_gradient("StatelessRandomPoisson"), host=True,
)
def stateless_poisson(_, shape, seed, lam, dtype):
    return _full_samples(*philox.scramble(xp, seed), dims_of_operand(shape), [lam], _poisson, dtype.np_dtype)


# --- binomial ---------------------------------------------------------------------------------------------------------

_TAIL = np.array(
    [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ]
)


def _stirling_tail(k):
    """What Stirling's formula leaves out of log k!."""
    square = (k + 1) * (k + 1)
    formula = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, _TAIL[np.clip(k, 0, 9).astype(np.int64)], formula)


def _binomial(key, counter, outputs, count, prob):
    flipped = prob > 0.5
    p = np.where(flipped, 1 - prob, prob)
    result = np.zeros(outputs.shape)
    valid = (count > 0) & (count < np.inf) & (p > 0)
    high = valid & (count * p >= 10)
    low = valid & ~high
    result[low] = _binomial_low(key, counter, outputs[low], count[low], p[low])
    result[high] = _binomial_high(key, counter, outputs[high], count[high], p[high])
    result = np.where(flipped, count - result, result)
    result = np.where(count == 0, 0, result)  # also where the probability is NaN
    return np.where((np.isnan(prob) & (count != 0)) | ~np.isfinite(count), np.nan, result)


def _binomial_low(key, counter, outputs, count, prob):
    """The number of geometric steps that fit into `count`."""
    lanes, waiting = Lanes(key, counter, outputs, _SMALL_REGION), np.arange(outputs.size)
    result, total = np.zeros(outputs.size), np.zeros(outputs.size)
    while waiting.size:
        u = lanes.uniform(np.ones(waiting.shape, bool))
        total[waiting] += np.ceil(np.log(u) / np.log1p(-prob[waiting]))
        more = total[waiting] <= count[waiting]
        lanes.keep(more)
        waiting = waiting[more]
        result[waiting] += 1
    return result


def _binomial_high(key, counter, outputs, count, prob):
    def attempt(lanes, n, p):
        everyone = np.ones(n.shape, bool)
        deviation = np.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * p
        r, m = p / (1 - p), np.floor((n + 1) * p)
        u = lanes.uniform(everyone) - 0.5
        v = lanes.uniform(everyone)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a / us + b) * u + n * p + 0.5)
        sure = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
        possible = (k >= 0) & (k <= n)
        k_in = np.clip(k, 0, n)
        left = np.log(v * (2.83 + 5.1 / b) * deviation / (a / (us * us) + b))
        bound = (
            (m + 0.5) * np.log((m + 1) / (r * (n - m + 1)))
            + (n + 1) * np.log((n - m + 1) / (n - k_in + 1))
            + (k_in + 0.5) * np.log(r * (n - k_in + 1) / (k_in + 1))
            + _stirling_tail(m)
            + _stirling_tail(n - m)
            - _stirling_tail(k_in)
            - _stirling_tail(n - k_in)
        )
        return k, sure | (possible & (left <= bound))

    return _until_accepted(key, counter, outputs, attempt, count, prob)


def _binomial_samples(key, counter, dims, counts, probs, dtype):
    counts, probs = np.broadcast_arrays(counts, probs)
    return _full_samples(key, counter, dims, [counts, probs], _binomial, dtype)


@op(
    "StatelessRandomBinomial", fits="1 [2]", shape=rules.fill, static=("shape",),
    grad=_no_gradient("StatelessRandomBinomial"), host=True,
)
def stateless_binomial(_, shape, seed, counts, probs, dtype):
    return _binomial_samples(*philox.scramble(xp, seed), dims_of_operand(shape), counts, probs, dtype.np_dtype)


@op(
    "StatefulRandomBinomial", shape=lambda f: [rules.as_shape(f.values[2], f.shapes[2])], static=("shape",),
    grad=_no_gradient("StatefulRandomBinomial"), host=True, writes=("resource",),
)
def stateful_binomial(_, resource, algorithm, shape, counts, probs, dtype):
    check_algorithm(int(algorithm))
    dims = dims_of_operand(shape)
    parameters = np.broadcast_shapes(counts.shape, probs.shape)
    _check_end(dims, parameters)  # before the state advances
    batches = math.prod(parameters)
    each = math.prod(dims) // max(batches, 1)
    words = advance_state(resource, batches * 200 * (each + 3) // 4).view(np.uint64)  # TensorFlow reserves this much
    return _binomial_samples(words[2:], words[:2], dims, counts, probs, dtype.np_dtype)
