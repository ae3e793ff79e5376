"""Tensors that a session keeps between two runs: `GetSessionHandle` stores one under a name, its *handle*."""

from __future__ import annotations

import itertools

import numpy as np

from reflow.core import errors

_numbers = itertools.count()
_kept: dict[str, np.ndarray] = {}


def keep(value: np.ndarray) -> str:
    """Keep a value; returns its handle."""
    handle = f"GetSessionHandle;{next(_numbers)};/job:localhost/replica:0/task:0/device:CPU:0"
    _kept[handle] = np.array(value)
    return handle


def find(handle: str) -> np.ndarray:
    """The value of a handle."""
    if handle not in _kept:
        raise errors.InvalidArgumentError(None, None, f"The tensor with handle '{handle}' is not in the session store.")
    return _kept[handle]


def forget(handle: str) -> None:
    """Release the value of a handle."""
    find(handle)
    del _kept[handle]
