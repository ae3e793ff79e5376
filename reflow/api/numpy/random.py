"""`tf.experimental.numpy.random`: random numbers under NumPy's names, from TensorFlow's generators."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange
from reflow.api.export import export, with_sections
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


_SHAPE = "The shape of the result, an int or a sequence of them; a scalar by default."
_SIZES = "The size of each axis of the result; a scalar if there is none."


def _sampler(name: str, argument: str, meaning: str):
    """Exports a function with one argument that draws floats."""

    def exported(function):
        sections = f"Args:\n  {argument}: {meaning}\n\nReturns:\n  A float64 tensor.\n"
        return export(_SPACE + name)(with_sections(sections)(function))

    return exported


@export(_SPACE + "seed")
def seed(s):
    """Seeds the random generators: the same seed gives the same numbers.

    Args:
      s: An integer.

    Returns:
      None; the seed is also that of `tf.random`.

    Raises:
      ValueError: The seed cannot be converted to an integer.

    >>> tf.experimental.numpy.random.seed(3)
    """
    try:
        s = int(s)
    except TypeError:
        raise ValueError(f"Argument `s` got an invalid value {s}. Only integers are supported.") from None
    sampling.set_seed(s)


@_sampler("randn", "*args", _SIZES)
def randn(*args):
    """Draws numbers from the standard normal distribution.

    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])
    """
    return standard_normal(size=args)


@_sampler("standard_normal", "size", _SHAPE)
def standard_normal(size=None):
    """Draws numbers from the standard normal distribution.

    >>> tf.experimental.numpy.random.standard_normal([2, 3]).dtype
    tf.float64
    """
    return sampling.normal(_size(size), dtype=result_type(float))


@export(_SPACE + "uniform")
def uniform(low=0.0, high=1.0, size=None):
    """Draws numbers from `low` to before `high`, all equally likely.

    Args:
      low: The lower bound, or a tensor of them.
      high: The upper bound, or a tensor of them.
      size: The shape of the result, an int or a sequence of them; by default that to which the bounds are broadcast.

    Returns:
      A float64 tensor.

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
    """Draws numbers from Poisson distributions.

    Args:
      lam: The mean, or a tensor of them.
      size: The shape of the sample for each mean, an int or a sequence of them; one number by default.

    Returns:
      An int64 tensor of shape `size + lam.shape`.

    >>> tf.experimental.numpy.random.poisson(2.0, [3]).dtype
    tf.int64
    """
    return sampling.poisson(_size(size), lam, dtypes.int64)


@_sampler("random", "size", _SHAPE)
def random(size=None):
    """Draws numbers from 0 to before 1, all equally likely.

    >>> tf.experimental.numpy.random.random([3]).shape
    TensorShape([3])
    """
    return uniform(0.0, 1.0, size)


@_sampler("rand", "*size", _SIZES)
def rand(*size):
    """Draws numbers from 0 to before 1, all equally likely.

    >>> tf.experimental.numpy.random.rand(2, 3).shape
    TensorShape([2, 3])
    """
    return uniform(0.0, 1.0, size)


@export(_SPACE + "randint")
def randint(low, high=None, size=None, dtype=np.int64):
    """Draws integers from `low` to before `high`, all equally likely.

    Args:
      low: The least integer; if `high` is missing, the end instead, and the integers start at 0.
      high: The end, which is left out.
      size: The shape of the result, an int or a sequence of them; a scalar by default.
      dtype: int32 or int64.

    Returns:
      A tensor of that dtype.

    Raises:
      ValueError: `dtype` is another one.
      InvalidArgumentError: There is no integer in the range.

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
