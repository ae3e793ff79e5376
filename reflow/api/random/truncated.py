"""Normal distributions truncated at given bounds.

A uniform number between the probabilities of the two bounds becomes a sample through the inverse distribution function.
So samples are differentiable in all parameters. Bounds on the right are mirrored to the left, where small probabilities
are exact.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.math import arithmetic as m
from reflow.api.math import special
from reflow.api.random import sampling
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

_ROOT_HALF = 0.7071067811865476


def _below(x):
    """The probability of a standard normal number below x."""
    return 0.5 * special.erfc(-x * _ROOT_HALF)


def _samples(uniform, parameters: tuple, dtype):
    """Samples for numbers between 0 and 1.

    The parameters are mean, deviation and bounds, which broadcast with the result.
    """
    means, stddevs, minvals, maxvals = (m.cast(x, dtypes.float64) for x in parameters)
    # TensorFlow's gradients: bounds move with them
    centre, width = arrange.stop_gradient(means), arrange.stop_gradient(stddevs)
    low, high = (minvals - centre) / width, (maxvals - centre) / width
    low, high = m.minimum(low, high), m.maximum(low, high)
    mirrored = low + high > 0
    low, high = m.where(mirrored, -high, low), m.where(mirrored, -low, high)
    first, last = _below(low), _below(high)
    found = special.ndtri(first + uniform * (last - first))
    found = m.minimum(m.maximum(found, low), high)
    found = m.where(mirrored, -found, found)
    return m.cast(m.minimum(m.maximum(found * stddevs + means, minvals), maxvals), dtype)


def _rows(x, samples):
    """Parameters with an axis of size 1 for each further axis of the samples."""
    if x.shape.rank == 0:
        return x
    more = arrange.rank(samples) - arrange.rank(x)
    return arrange.reshape(x, arrange.pad(arrange.shape(x), [[0, more]], constant_values=1))


@export("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape, seed, means: Any = 0.0, stddevs: Any = 1.0, minvals: Any = -2.0, maxvals: Any = 2.0, name=None
):
    """Samples of normal distributions between bounds, determined by a seed.

    Args:
      shape: the shape of the result.
      seed: two integers.
      means, stddevs, minvals, maxvals: scalars, or tensors that broadcast with the result.

    Returns:
      Samples of the dtype of `means`. Their gradients by the four parameters are known.

    >>> x = tf.random.stateless_parameterized_truncated_normal([100], [1, 2], 0.0, 1.0, 0.5, 0.6)
    >>> bool(tf.reduce_all((x >= 0.5) & (x <= 0.6)))
    True
    """
    means = convert_to_tensor(means)
    parameters = (means, *(convert_to_tensor(x, means.dtype) for x in (stddevs, minvals, maxvals)))
    uniform = sampling.stateless_uniform(shape, seed, dtype=dtypes.float64)
    return arrange.identity(_samples(uniform, parameters, means.dtype), name)


@export("__internal__.random.parameterized_truncated_normal")
def parameterized_truncated_normal(
    shape, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, dtype=dtypes.float32, seed=None, name=None
):
    """The same with its own generator, one distribution per row; a private function of TensorFlow (`random_ops`).

    >>> parameterized_truncated_normal([2, 3]).shape
    TensorShape([2, 3])
    """
    parameters = tuple(convert_to_tensor(x, dtype) for x in (means, stddevs, minvals, maxvals))
    uniform = sampling.uniform(shape, dtype=dtypes.float64, seed=seed)
    rows = tuple(_rows(x, uniform) for x in parameters)
    return arrange.identity(_samples(uniform, rows, dtypes.as_dtype(dtype)), name)
