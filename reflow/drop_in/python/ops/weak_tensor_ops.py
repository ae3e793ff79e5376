"""`tensorflow.python.ops.weak_tensor_ops`: the functions that take and return weak tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

from reflow.api.numpy import weak_functions
from reflow.drop_in.facade import resolve


def _functions(names: Iterable[str]) -> list[Callable]:
    return [resolve(name) for name in names]


@functools.cache
def __getattr__(name: str) -> list[Callable]:
    """The two lists, made when they are asked for."""
    if name == "_TF_UNARY_APIS":
        of_numpy = (f"experimental.numpy.{known}" for known in weak_functions.OF_NUMPY.split())
        return _functions([*(known for known in weak_functions.UNARY.split() if known != "constant"), *of_numpy])
    if name == "_TF_BINARY_APIS":
        binary = weak_functions.BINARY.split()
        return _functions("compat.v1.floor_div" if known == "floor_div" else known for known in binary)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
