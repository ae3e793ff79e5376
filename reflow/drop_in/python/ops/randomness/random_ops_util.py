"""`tensorflow.python.ops.random_ops_util`: algorithms of random numbers, and the keys and counters that they count
with."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.math import arithmetic
from reflow.api.random.sampling import Algorithm as Algorithm
from reflow.api.random.sampling import algorithm_number, key_counter_alg
from reflow.core import dtypes
from reflow.ops.dispatch import run


def convert_alg_to_int(alg: Any) -> Any:
    """The number of an algorithm, which is given as a number, a member of `Algorithm` or a name; a tensor stays.

    Raises:
        ValueError: there is no algorithm of this name.
        TypeError: it is none of these.
    """
    if alg is None:
        raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")
    return algorithm_number(alg)


def unsupported_alg_error_msg(alg: Any) -> str:
    """What to say about an algorithm that there is not."""
    return (
        f"Argument `alg` got unsupported value {alg}. Supported values are {Algorithm.PHILOX.value} for the Philox "
        f"algorithm, {Algorithm.THREEFRY.value} for the ThreeFry algorithm, and {Algorithm.AUTO_SELECT.value} for "
        "auto-selection."
    )


def _get_key_counter(seed: Any, alg: Any) -> tuple[Any, Any]:
    """(key, counter) for the ops that draw numbers, from a seed of two integers.

    Raises:
        ValueError: there is no such algorithm.
    """
    if alg == Algorithm.THREEFRY.value:
        low_first = arithmetic.cast(seed, dtypes.uint32)
        return arrange.reshape(run("Bitcast", low_first, type=dtypes.uint64), [1]), creation.zeros([1], dtypes.uint64)
    if alg not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        raise ValueError(unsupported_alg_error_msg(alg))
    return tuple(key_counter_alg(seed, alg)[:2])  # type: ignore[return-value]


def get_key_counter_alg(seed: Any, alg: Any) -> tuple[Any, Any, Any]:
    """(key, counter, algorithm) for the ops that draw numbers."""
    number = convert_alg_to_int(alg)
    return (*_get_key_counter(seed, number), number)
