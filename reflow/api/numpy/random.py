"""`tf.experimental.numpy.random`: random numbers under NumPy's names, from TensorFlow's generators."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.numpy.arrays import asarray
from reflow.api.numpy.types import result_type
from reflow.api.random import sampling
from reflow.core import dtypes

_SPACE = "experimental.numpy.random."


def _size(size):
    """A size argument as a shape."""
    if size is None:
        return ()
    return (size,) if not np.ndim(size) and not hasattr(size, "_dtype") else size


@export(_SPACE + "seed")
def seed(s):
    """Reseed the generators: the same seed gives the same numbers.

    >>> tf.experimental.numpy.random.seed(3)
    """
    try:
        s = int(s)
    except TypeError:
        raise ValueError(f"Argument `s` got an invalid value {s}. Only integers are supported.") from None
    sampling.set_seed(s)


@export(_SPACE + "randn")
def randn(*args):
    """Numbers from the standard normal distribution; the arguments are the sizes of the result.

    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])
    """
    return standard_normal(size=args)


@export(_SPACE + "standard_normal")
def standard_normal(size=None):
    """Numbers from the standard normal distribution.

    >>> tf.experimental.numpy.random.standard_normal([2, 3]).dtype
    tf.float64
    """
    return sampling.normal(_size(size), dtype=result_type(float))


@export(_SPACE + "uniform")
def uniform(low=0.0, high=1.0, size=None):
    """Numbers from `low` to `high`, all equally likely.

    >>> tf.experimental.numpy.random.uniform(1.0, 2.0, [3]).shape
    TensorShape([3])
    """
    dtype = result_type(float)
    low, high = asarray(low, dtype), asarray(high, dtype)
    if size is None:
        size = arrange.broadcast_dynamic_shape(arrange.shape(low), arrange.shape(high))
    return sampling.uniform(size if size is None or hasattr(size, "_dtype") else _size(size), low, high, dtype)


@export(_SPACE + "poisson")
def poisson(lam=1.0, size=None):
    """Numbers from the Poisson distribution with mean `lam`.

    >>> tf.experimental.numpy.random.poisson(2.0, [3]).dtype
    tf.int64
    """
    return sampling.poisson(_size(size), lam, dtypes.int64)


@export(_SPACE + "random")
def random(size=None):
    """Numbers from 0 to 1, all equally likely.

    >>> tf.experimental.numpy.random.random([3]).shape
    TensorShape([3])
    """
    return uniform(0.0, 1.0, size)


@export(_SPACE + "rand")
def rand(*size):
    """Numbers from 0 to 1, all equally likely; the arguments are the sizes of the result.

    >>> tf.experimental.numpy.random.rand(2, 3).shape
    TensorShape([2, 3])
    """
    return uniform(0.0, 1.0, size)


@export(_SPACE + "randint")
def randint(low, high=None, size=None, dtype=np.int64):
    """Whole numbers from `low` to before `high`, or from 0 to before `low`.

    >>> tf.experimental.numpy.random.randint(1, 2, [3]).numpy().tolist()
    [1, 1, 1]
    """
    low, high = (0, int(low)) if high is None else (int(low), high)
    found = result_type(dtype)
    accepted = (np.int32, np.int64)
    if found not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible to {accepted} are supported."
        )
    return sampling.uniform(_size(size), low, high, found)
