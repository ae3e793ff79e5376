"""Forked processes.

`fork` copies only one thread of a process. XLA's threads are lost, so a child that ran a program would wait for them
forever. Therefore, if XLA was used before the fork, the child interprets functions and says so once (eager code needs
no XLA anyway); any other use of XLA raises. Memory is consistent: when the process forks, no variable is being written
and no result is pending. A process started by `spawn` has none of these limits.
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
lost = False  # whether this process was forked from one that had used XLA

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_warned = False


def new_lock() -> Any:
    """A lock that is free in a forked child, where the thread that held it does not exist."""
    made = threading.RLock()
    _locks.add(made)
    return made


def enter_xla() -> None:
    """Called before XLA is used, while `used` is not set. RuntimeError if XLA's threads belong to another process."""
    global used
    if lost:
        raise RuntimeError(
            "This process was forked from one that had used XLA, whose threads it does not have: it can run eager ops "
            "and functions, but no XLA programs. Start it by multiprocessing.get_context('spawn') instead."
        )
    used = True


def warn_interpreting() -> None:
    """Warn once that functions are interpreted because the process was forked."""
    global _warned
    if lost and not _warned:
        _warned = True
        warn(
            "This process was forked from one that had used XLA, whose threads it does not have: functions are "
            "interpreted, not compiled. Processes started by multiprocessing.get_context('spawn') compile."
        )


def _before() -> None:
    commit_lock.acquire()
    if used:
        for array in sys.modules["jax"].live_arrays():
            try:
                array.block_until_ready()
            except RuntimeError:  # donated, or its producer failed: the reader will see the error
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
            # never freed: that would stop its threads, which do not exist here, and crash when the child exits
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(client))


os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
