"""Helpers for the modules of `xp.xla`: explicit broadcasting and narrow floats.

`lax` functions are bound directly where they exist: they trace about three times faster than `jax.numpy`.
They neither broadcast nor promote: `match` broadcasts, and different dtypes raise a TypeError.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
from jax import lax

from reflow.core import fork
from reflow.core.context import state
from reflow.core.types import Array, Static
from reflow.native import programs
from reflow.ops.xp.dtype_facts import FLOAT32, widening
from reflow.ops.xp.names import named
from reflow.ops.xp.shapes import broadcast_shape

# here rather than in `import reflow`: this module is loaded with the first use of XLA, after the user's own settings
programs.keep()


def wide_types() -> Array:
    """`with wide_types():` enables JAX's 64-bit types. It surrounds each call from Reflow into JAX and takes 1 µs.

    Enabled for the whole process, 64-bit types would change the results of the user's own JAX code.
    """
    if not fork.used:
        fork.enter_xla()
    return jax.enable_x64(True)


def broadcast_to(x: Array, shape: Static) -> Array:
    shape = tuple(shape)
    if x.shape == shape:
        return x
    return lax.broadcast_in_dim(x, shape, range(len(shape) - x.ndim, len(shape)))


def match(*xs: Array) -> Array:
    """The arrays broadcast to their common shape."""
    first = xs[0].shape
    if all([x.shape == first for x in xs]):
        return xs
    shape = broadcast_shape(*[x.shape for x in xs])
    return [broadcast_to(x, shape) for x in xs]


def unary(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(x: Array) -> Array:
        return function(x)

    return named(call, name)


def binary(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """An `xp` function of two broadcasting arrays, from a lax function of two equal shapes."""

    def call(x: Array, y: Array) -> Array:
        if x.shape != y.shape:
            x, y = match(x, y)
        return function(x, y)

    return named(call, name)


def to_float32(x: Array) -> Array:
    return lax.convert_element_type(x, FLOAT32)


def filled(value: Array, like: Array) -> Array:
    """`value` in the shape and dtype of `like`."""
    return lax.full(like.shape, value, like.dtype)


widen = widening(lax.convert_element_type)


def widen_on_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """`widen`, except on accelerators, which sum narrow floats widely by themselves: convolutions."""
    wide = widen(function)

    @functools.wraps(function)
    def choose(*args: Any, **kwargs: Any) -> Array:
        return (function if state.accelerated else wide)(*args, **kwargs)

    return choose
