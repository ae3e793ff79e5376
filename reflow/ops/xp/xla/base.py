"""What all XLA modules of the facade share: explicit broadcasting and narrow floats.

`lax` functions are bound directly where they exist: they trace about three times faster than `jax.numpy`.
They neither broadcast nor promote, so `match` broadcasts and a difference in dtypes raises TypeError by
itself.
"""

import functools

import jax
import numpy as np
from jax import lax

from reflow.ops.xp.shapes import broadcast_shape, is_narrow

FLOAT32 = np.dtype(np.float32)


def wide_types():
    """`with wide_types():` around each entry into JAX: 64-bit types, which JAX code of the user's own does not have by
    default.

    1 µs. Set for the whole process, it would change what `jax.numpy` computes for a program that uses both.
    """
    return jax.enable_x64(True)


def broadcast_to(x, shape):
    shape = tuple(shape)
    if x.shape == shape:
        return x
    return lax.broadcast_in_dim(x, shape, range(len(shape) - x.ndim, len(shape)))


def match(*xs):
    """The arrays broadcast to their common shape."""
    first = xs[0].shape
    if all([x.shape == first for x in xs]):
        return xs
    shape = broadcast_shape(*[x.shape for x in xs])
    return [broadcast_to(x, shape) for x in xs]


def unary(function, name):
    def call(x):
        return function(x)

    return named(call, name)


def binary(function, name):
    """A facade function of two broadcasting arrays from a lax function of two equal shapes."""

    def call(x, y):
        if x.shape != y.shape:
            x, y = match(x, y)
        return function(x, y)

    return named(call, name)


def widen(function):
    """Computes narrow floats in float32 and rounds the result, or each of a tuple of results, once."""

    @functools.wraps(function)
    def wide(x, *args, **kwargs):
        dtype = x.dtype
        if dtype.itemsize > 2 or not is_narrow(dtype):
            return function(x, *args, **kwargs)
        args = [_wider(a, dtype) for a in args]
        kwargs = {key: _wider(a, dtype) for key, a in kwargs.items()}
        result = function(to_float32(x), *args, **kwargs)
        if isinstance(result, tuple):
            return tuple([_rounded(r, dtype) for r in result])
        return _rounded(result, dtype)

    return wide


def _wider(argument, dtype):
    return to_float32(argument) if getattr(argument, "dtype", None) == dtype else argument


def to_float32(x):
    return lax.convert_element_type(x, FLOAT32)


def _rounded(x, dtype):
    return lax.convert_element_type(x, dtype) if x.dtype == FLOAT32 else x


def filled(value, like):
    """`value` in the shape and dtype of `like`."""
    return lax.full(like.shape, value, like.dtype)


def named(function, name):
    function.__name__ = function.__qualname__ = name
    return function
