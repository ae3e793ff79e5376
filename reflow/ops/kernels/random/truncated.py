"""Truncated normal distributions, one for each row of the result: `ParameterizedTruncatedNormal` and its stateless
form.

A uniform number between the probabilities of the two bounds becomes a sample through the inverse distribution function.
TensorFlow samples by rejection: the distribution is the same, the numbers are not.
"""

from __future__ import annotations

import numpy as np

from reflow.core.types import Array
from reflow.ops import philox
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.random.sampling import dims_of_operand, draw, stream
from reflow.ops.kernels.strings.elementwise import invalid
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as xp

F64 = np.dtype(np.float64)
_ROOT_HALF = 0.7071067811865476


def _below(x: Array) -> Array:
    """The probability of a standard normal number below x."""
    return 0.5 * np.asarray(xp.erfc(-x * _ROOT_HALF))


def _samples(uniform: Array, means: Array, deviations: Array, low: Array, high: Array) -> Array:
    """Samples for numbers between 0 and 1.

    Bounds on the right are mirrored to the left, where small probabilities are exact.
    """
    a, b = (low - means) / deviations, (high - means) / deviations
    mirrored = a + b > 0
    a, b = np.where(mirrored, -b, a), np.where(mirrored, -a, b)
    first, last = _below(a), _below(b)
    found = np.clip(np.asarray(xp.ndtri(first + uniform * (last - first))), a, b)
    return np.clip(np.where(mirrored, -found, found) * deviations + means, low, high)


def _check(deviations: Array, low: Array, high: Array) -> None:
    if not (deviations > 0).all():
        raise invalid("Invalid parameters: deviations must be positive")
    if not (low < high).all():
        raise invalid("Invalid parameters: minvals must be less than maxvals")


@op(
    "ParameterizedTruncatedNormal", fits="1 1- 1- 1- 1-", shape=rules.fill, static=("shape",), grad=NO_GRADIENT,
    host=True,
)
def parameterized_truncated_normal(_, shape, means, stdevs, minvals, maxvals, **attrs):
    """Parameters are scalars, or one for each entry of the first axis."""
    dims, dtype = dims_of_operand(shape), means.dtype
    rows = dims[0] if dims else 1
    parameters = []
    for name, x in (("means", means), ("stdevs", stdevs), ("minvals", minvals), ("maxvals", maxvals)):
        if x.ndim > 1 or x.size not in (1, rows):
            raise invalid(f"{name} must be a scalar or have one entry for each batch, got shape {rules.text(x.shape)}")
        parameters.append(
            np.broadcast_to(x.astype(F64).reshape(-1), (rows,)).reshape(rows, *[1] * max(len(dims) - 1, 0))
        )
    means, stdevs, minvals, maxvals = parameters
    _check(stdevs, minvals, maxvals)
    uniform = draw(xp, "RandomUniform", *stream("ParameterizedTruncatedNormal", attrs, dims), (rows, *dims[1:]), F64)
    return _samples(uniform, means, stdevs, minvals, maxvals).reshape(dims).astype(dtype)


@op(
    "StatelessParameterizedTruncatedNormal", fits="1 [2]", shape=rules.fill, static=("shape",), grad=NO_GRADIENT,
    host=True,
)
def stateless_parameterized_truncated_normal(_, shape, seed, means, stddevs, minvals, maxvals):
    """Parameters are broadcast to the last axes of the result."""
    dims = dims_of_operand(shape)
    parameters = np.broadcast_arrays(*(x.astype(F64) for x in (means, stddevs, minvals, maxvals)))
    own = parameters[0].shape
    if dims[len(dims) - len(own) :] != own:
        raise invalid("Shape passed in must end with broadcasted shape.")
    _check(parameters[1], *parameters[2:])
    uniform = draw(xp, "RandomUniform", *philox.scramble(xp, seed), dims, F64)
    return _samples(uniform, *parameters).astype(means.dtype)
