"""Buffers of variables on their way into a program: private copies, and device arrays in place of NumPy's.

A program may take over (donate) a buffer only if nothing else refers to it, and is fastest on arrays of its device.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from reflow.core import errors, limits
from reflow.core.resources import Cell, Piece, commit_lock
from reflow.core.tensor import ndarray

if TYPE_CHECKING:
    from reflow.core.types import Array

ON_HOST = {ndarray, Piece}  # buffers that programs get as device arrays
#: a copy of at least this many bytes is waited for, so that the original's memory is free before the next one
HUGE = 1 << 26


def check_room(results: Sequence[Array]) -> None:
    """Reject results that do not fit into memory: XLA aborts the process when a failed allocation is read."""
    size = sum(result.size * result.dtype.itemsize for result in results)
    if size > limits.room():
        message = f"OOM when allocating {size} bytes for the results of a function"
        raise errors.ResourceExhaustedError(None, None, message)


def private_copy(buffer: Any) -> Any:
    """A copy of a buffer, in memory that nothing else refers to.

    On the CPU this is a NumPy array, which JAX's call copies in 3 µs: `device_put` takes 40, and a jitted copy would
    compile for each shape.
    """
    return np.array(buffer) if type(buffer) in ON_HOST or buffer.platform() == "cpu" else buffer.copy()


def device_copy(buffer: Any) -> Any:
    """A copy of a buffer, as a device array that nothing else refers to."""
    private = buffer if type(buffer) is ndarray else private_copy(buffer)
    if type(private) is not ndarray:
        return private
    moved = jax.device_put(private, may_alias=False)
    if private.nbytes >= HUGE:
        # JAX 0.10 still aliases aligned memory, and does not donate an alias
        if moved.unsafe_buffer_pointer() == private.ctypes.data:
            moved = moved.copy()
        moved.block_until_ready()
        gc.collect(0)  # JAX releases the NumPy array only then: a model of 4 GB took 6.4 GB until the second step
    return moved


def settle(cell: Cell, array: Any) -> Any:
    """Turn a variable's NumPy buffer, or its piece of a pack, into a device array permanently.

    This takes 30 µs, where a NumPy argument would cost 3 in every call.
    """
    if type(array) is not Piece:
        moved = device_copy(array)
    with commit_lock:
        if type(array) is Piece:  # under the lock: it stays the same piece when its pack gets new values
            moved = device_copy(array)
        if cell.buf is array:
            cell.buf = moved
    return moved


def lent(cell: Cell, buffer: Any) -> Any:
    """A buffer for a program that writes nothing.

    A piece is copied on its first read since its pack changed: between the steps of a training loop, its own device
    array would not pay off.
    """
    if type(buffer) is Piece and buffer.lend():
        return np.asarray(buffer)
    return settle(cell, buffer)
