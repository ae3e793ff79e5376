"""What all host modules of the facade share: arrays instead of scalars, narrow floats, debug checks.

NumPy returns scalars for 0-d results. Ufuncs and their reductions are therefore called with `out=...` (NumPy
2.3), which gives an array and is as fast as the plain call (0.34 µs against 0.51 µs for testing the type of a
0-d result; no difference for larger arrays).

A *narrow* float has 8 or 16 bits (float16, bfloat16, float8). `widen` makes a function compute in float32 and
round once. Elementwise ufuncs of NumPy and ml_dtypes do so by themselves.

With REFLOW_DEBUG=1 in the environment, binary functions check that both dtypes are equal (0.15 µs a call).
"""

import functools
import os

import numpy as np

from reflow.ops.xp.shapes import is_narrow

DEBUG = os.environ.get("REFLOW_DEBUG", "") not in ("", "0")
FLOAT32 = np.dtype(np.float32)


def unary(ufunc, name=None):
    """A facade function of one array from a ufunc."""

    def function(x):
        return ufunc(x, out=...)

    return named(function, name or ufunc.__name__)


def binary(ufunc, name=None):
    """A facade function of two broadcasting arrays of one dtype from a ufunc."""

    def function(x, y):
        return ufunc(x, y, out=...)

    return strict(named(function, name or ufunc.__name__))


def strict(function):
    """In debug mode, a binary function that refuses two different dtypes; otherwise the function itself."""
    if not DEBUG:
        return function

    @functools.wraps(function)
    def checked(x, y):
        if x.dtype != y.dtype:
            raise TypeError(f"{function.__name__} needs equal dtypes, received {x.dtype} and {y.dtype}")
        return function(x, y)

    return checked


def widen(function):
    """Computes narrow floats in float32 and rounds the result, or each of a tuple of results, once."""

    @functools.wraps(function)
    def wide(x, *args, **kwargs):
        dtype = x.dtype
        if dtype.itemsize > 2 or not is_narrow(dtype):
            return function(x, *args, **kwargs)
        args = [_wider(a, dtype) for a in args]
        kwargs = {key: _wider(a, dtype) for key, a in kwargs.items()}
        result = function(x.astype(FLOAT32), *args, **kwargs)
        if isinstance(result, tuple):
            return tuple([r.astype(dtype) if r.dtype == FLOAT32 else r for r in result])
        return result.astype(dtype) if result.dtype == FLOAT32 else result

    return wide


def _wider(argument, dtype):
    is_array = isinstance(argument, np.ndarray) and argument.dtype == dtype
    return argument.astype(FLOAT32) if is_array else argument


def named(function, name):
    function.__name__ = function.__qualname__ = name
    return function
