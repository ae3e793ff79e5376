"""Threads that a program leaves running: they are stopped before Python exits.

Python kills daemon threads at exit. One that is inside a compiled program then crashes the process ("FATAL: exception
not rethrown"). So each such thread registers a function that asks it to stop, and the exit waits for it for a while.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
from collections.abc import Callable

#: how long the end of a program waits for all threads together, in seconds
PATIENCE = 5.0
_running: list[tuple[threading.Thread, Callable[[], object]]] = []


def watch(thread: threading.Thread, stop: Callable[[], object]) -> None:
    """Stop a daemon thread by `stop` when the program ends."""
    _running[:] = [(t, s) for t, s in _running if t.is_alive() or t.ident is None]
    _running.append((thread, stop))
    stay_first()


def stay_first() -> None:
    """Be the first to be called when the program ends: before what has been imported since is taken apart."""
    atexit.unregister(_end)
    atexit.register(_end)


def _end() -> None:
    alive = [(thread, stop) for thread, stop in _running if thread.is_alive()]
    for _, stop in alive:
        with contextlib.suppress(Exception):  # a session or a queue that is closed already
            stop()
    last = time.monotonic() + PATIENCE
    for thread, _ in alive:
        thread.join(max(0.0, last - time.monotonic()))
