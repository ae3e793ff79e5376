"""Facts about NumPy dtypes for kernels: which are floats, their limits, and how narrow floats are computed.

A *narrow* float has 8 or 16 bits (float16, bfloat16, float8). It is computed in float32 and rounded once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reflow.core.types import Array

FLOATS = "fV"  # dtype.kind of NumPy's own and of ml_dtypes' floats
FLOAT32 = np.dtype(np.float32)


def is_narrow(dtype: np.dtype) -> bool:
    """True for floats of 8 and 16 bits, which are computed in float32 and rounded once."""
    kind = dtype.kind
    return (kind == "f" and dtype.itemsize < 4) or kind == "V"


def is_float(dtype: np.dtype) -> bool:
    return dtype.kind in FLOATS


def real_dtype(dtype: np.dtype) -> np.dtype:
    """complex64 -> float32, complex128 -> float64, anything else unchanged."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def complex_dtype(dtype: np.dtype) -> np.dtype:
    """float32 -> complex64, float64 -> complex128, complex unchanged."""
    return np.dtype(f"c{dtype.itemsize * 2}") if dtype.kind == "f" else dtype


@functools.lru_cache(maxsize=64)
def limits(dtype: np.dtype) -> tuple[np.ndarray, ...]:
    """(lowest, highest) finite values of a dtype as read-only 0-d arrays."""
    pair: tuple
    info: Any
    if dtype.kind == "b":
        pair = (False, True)
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        pair = (info.min, info.max)
    else:
        import ml_dtypes

        info = ml_dtypes.finfo(dtype)
        pair = (info.min, info.max)
    return _frozen(pair, dtype)


def _frozen(values: Sequence[Any], dtype: np.dtype) -> tuple[np.ndarray, ...]:
    arrays = tuple(np.array(value, dtype) for value in values)
    for array in arrays:
        array.flags.writeable = False
    return arrays


@functools.lru_cache(maxsize=64)
def extremes(dtype: np.dtype) -> tuple[np.ndarray, ...]:
    """Like `limits`, but infinities where the dtype has them: the identities of max and min."""
    if is_float(dtype):
        infinity = np.array(np.inf, dtype)
        if np.isinf(infinity):
            return _frozen((-np.inf, np.inf), dtype)
    return limits(dtype)


def lowest(dtype: np.dtype) -> np.ndarray:
    """The lowest finite value of a dtype, 0-d."""
    return limits(dtype)[0]


def highest(dtype: np.dtype) -> np.ndarray:
    """The highest finite value of a dtype, 0-d."""
    return limits(dtype)[1]


def lowest_like(x: Array) -> np.ndarray:
    """The lowest finite value of x's dtype, 0-d."""
    return limits(x.dtype)[0]


def widening(convert: Callable[[Array, np.dtype], Array]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorator `widen` for arrays whose dtype is changed by `convert(x, dtype)`.

    A function under `widen` gets float32 where its first array and others of the same dtype are narrow; its float32
    results, one or a tuple, are rounded back.
    """

    def wider(argument: Any, dtype: np.dtype) -> Any:
        return convert(argument, FLOAT32) if getattr(argument, "dtype", None) == dtype else argument

    def rounded(result: Array, dtype: np.dtype) -> Array:
        return convert(result, dtype) if result.dtype == FLOAT32 else result

    def widen(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wide(x: Any, *args: Any, **kwargs: Any) -> Any:
            dtype = x.dtype if hasattr(x, "dtype") else next(a.dtype for a in args if hasattr(a, "dtype"))
            if dtype.itemsize > 2 or not is_narrow(dtype):
                return function(x, *args, **kwargs)
            wide_args = [wider(a, dtype) for a in (x, *args)]
            wide_kwargs = {key: wider(a, dtype) for key, a in kwargs.items()}
            result = function(*wide_args, **wide_kwargs)
            if isinstance(result, tuple):
                return tuple([rounded(r, dtype) for r in result])
            return rounded(result, dtype)

        return wide

    return widen
