"""Deferring signals.

A Python signal handler runs between two bytecodes of the main thread and may raise there, as Ctrl-C does. Code that
must not be interrupted between taking something and putting something back defers signals meanwhile.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Defer Python's signal handlers until after the block.

    A second signal of the same kind is not deferred: the user insists.
    """
    if threading.current_thread() is not threading.main_thread():  # no handlers run there
        yield
        return
    handlers: dict[int, Any] = {}
    waiting: dict[int, FrameType | None] = {}
    done = False

    def hold(number: int, frame: FrameType | None) -> None:
        if done or number in waiting:
            handlers[number](number, frame)
        else:
            waiting[number] = frame

    for known in signal.valid_signals():
        handler = signal.getsignal(known)
        if callable(handler):
            handlers[int(known)] = handler
            signal.signal(known, hold)
    try:
        yield
    finally:
        done = True
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in waiting.items():
            handlers[number](number, frame)
