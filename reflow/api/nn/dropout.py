"""`tf.nn`: dropout, with the mask from the global stream, from a seed, or from a function."""

from __future__ import annotations

import numbers

from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.api.math import elementwise as m
from reflow.api.random import sampling as random
from reflow.api.scoped import scoped
from reflow.core.shapes import TensorShape
from reflow.core.tensor import TensorBase
from reflow.ops import random_state
from reflow.ops.convert import constant, convert_to_tensor


def _noise_shape(x, noise_shape):
    """The shape of the mask; sizes that are None are those of x."""
    if noise_shape is None:
        dims = x.shape
        return dims.as_list() if dims.is_fully_defined() else call("Shape", (x,))
    if isinstance(noise_shape, TensorBase):
        return noise_shape
    try:
        dims = TensorShape(noise_shape).as_list()
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.rank == len(dims):
        dims = [given if mine is None else mine for mine, given in zip(dims, x.shape.as_list(), strict=True)]
    if None in dims:
        raise ValueError(f"`noise_shape` has sizes that are not known. Received: noise_shape={noise_shape}")
    return dims


def _dropout(x, rate, noise_shape, sampler, idle, name):
    is_number = isinstance(rate, numbers.Real) and not isinstance(rate, TensorBase)
    if is_number and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    x = convert_to_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
        )
    if is_number:
        if rate == 0:
            idle()
            return x
        scaled = m.multiply(x, constant(1 / (1 - rate), x.dtype))
        rate = constant(rate, x.dtype)
    elif isinstance(rate, TensorBase) or hasattr(rate, "__tf_tensor__"):
        rate = convert_to_tensor(rate)
        if rate.dtype is not x.dtype:
            raise ValueError(
                f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={x.dtype} and "
                f"rate.dtype={rate.dtype}"
            )
        scaled = m.realdiv(x, m.subtract(constant(1, x.dtype), rate))
    else:
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    keep = m.greater_equal(sampler(shape=_noise_shape(x, noise_shape), dtype=x.dtype), rate)
    return call("SelectV2", (keep, scaled, constant(0, x.dtype)), label=name)


_DROPOUT = """\
Args:
  name: A name for the operation.

Returns:
  A tensor of the same shape and dtype.

Raises:
  ValueError: `x` are not floats, or `rate` is out of range or of another dtype.
"""


@export("nn.dropout")
@scoped("dropout")
@with_sections(_DROPOUT)
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Sets each element to zero with probability `rate`, and scales up the others to preserve the mean.

    Args:
      x: A tensor of floats.
      rate: The probability that an element is dropped, in [0, 1): a number, or a scalar of the dtype of `x`.
      noise_shape: The shape of the mask, which is broadcast to `x`; sizes that are None are those of `x`. By default
        the shape of `x`.
      seed: A seed for the mask.

    >>> random.set_seed(3); dropout(constant([1.0, 1.0, 1.0, 1.0]), 0.5).numpy()
    array([0., 2., 0., 0.], dtype=float32)
    """
    return _dropout(
        x, rate, noise_shape, lambda **k: random.uniform(seed=seed, **k), lambda: random_state.get_seed(seed), name
    )


@export("nn.experimental.stateless_dropout")
@with_sections(_DROPOUT)
def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None):
    """Applies `dropout` with a mask that depends only on the seed.

    Args:
      x: A tensor of floats.
      rate: The probability that an element is dropped, in [0, 1): a number, or a scalar of the dtype of `x`.
      seed: Two integers.
      rng_alg: The generator's algorithm, as for `tf.random.stateless_uniform`.
      noise_shape: The shape of the mask, which is broadcast to `x`; sizes that are None are those of `x`. By default
        the shape of `x`.

    >>> stateless_dropout(constant([1.0, 1.0, 1.0]), 0.5, [1, 2]).shape
    TensorShape([3])
    """
    return _dropout(
        x, rate, noise_shape, lambda **k: random.stateless_uniform(seed=seed, alg=rng_alg, **k), lambda: None, name
    )


@export("nn.experimental.general_dropout")
@with_sections(_DROPOUT)
def general_dropout(x, rate, uniform_sampler, noise_shape=None, name=None):
    """Applies `dropout` with a mask from the uniform numbers of a function.

    Args:
      x: A tensor of floats.
      rate: The probability that an element is dropped, in [0, 1): a number, or a scalar of the dtype of `x`.
      uniform_sampler: A function of `shape` and `dtype`, given by name, that returns numbers in [0, 1).
      noise_shape: The shape of the mask, which is broadcast to `x`; sizes that are None are those of `x`. By default
        the shape of `x`.

    >>> general_dropout(constant([1.0]), 0.5, random.uniform).shape
    TensorShape([1])
    """
    return _dropout(x, rate, noise_shape, uniform_sampler, lambda: None, name)
