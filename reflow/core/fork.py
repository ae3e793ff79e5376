"""Forked processes.

`fork` copies one thread of a process. The threads of XLA are not among them: a child that runs a program waits for them for ever. So once
XLA has been used, functions are interpreted in a child (eager code needs no XLA anyway), which says so once, and every other way into
XLA raises. Memory is whole: no variable is being written and no result is still to come when the process forks. A process started by `spawn`
has none of these limits.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from typing import Any

from reflow.core.context import State, state
from reflow.core.logging import warn
from reflow.core.resources import commit_lock

used = False  # whether XLA has been used in this process
lost = False  # whether this process was forked from one that had used it

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_warned = False


def new_lock() -> Any:
    """A lock that is free in a forked child, where the thread that held it does not exist."""
    made = threading.RLock()
    _locks.add(made)
    return made


def enter_xla() -> None:
    """Called before XLA is used, while `used` is not set. RuntimeError if its threads are those of another process."""
    global used
    if lost:
        raise RuntimeError(
            "This process was forked from one that had used XLA, whose threads it does not have: it can run eager ops and functions, but "
            "no XLA programs. Start it by multiprocessing.get_context('spawn') instead."
        )
    used = True


def warn_interpreting() -> None:
    """Say once that a function is interpreted because the process was forked."""
    global _warned
    if lost and not _warned:
        _warned = True
        warn(
            "This process was forked from one that had used XLA, whose threads it does not have: functions are interpreted, not compiled. "
            "Processes started by multiprocessing.get_context('spawn') compile."
        )


def _before() -> None:
    commit_lock.acquire()
    if used:
        for array in sys.modules["jax"].live_arrays():
            try:
                array.block_until_ready()
            except RuntimeError:  # given to a program, or what made it has failed: whoever reads it will see
                continue


def _in_parent() -> None:
    commit_lock.release()


def _in_child() -> None:
    global lost, used
    commit_lock.release()
    for lock in list(_locks):
        if lock.acquire(blocking=False):
            lock.release()
        else:
            lock._at_fork_reinit()  # as the standard library does with its own
    if used:
        lost, used = True, False
        state.interpreting = State.interpreting = True
        jax = sys.modules["jax"]
        for client in {device.client for device in (*jax.devices(), *jax.devices("cpu"))}:
            # never freed: that would stop its threads, which are not here, and crash when the child exits
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(client))


os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
