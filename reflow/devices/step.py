"""Steps, the runs of functions whose ops wait for each other, each in its own thread; and waking those who wait."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

#: what has threads that wait, and a method `wake`
sleepers: weakref.WeakSet[Any] = weakref.WeakSet()


def wake_all() -> None:
    """Let all who wait anywhere look again."""
    for sleeper in list(sleepers):
        sleeper.wake()


class Step:
    """The first error of a step ends the waits of its other ops: `fail` calls all who listen.

    `shared` is what the waiting ops of a session's run have in common; it ends with the run.
    """

    def __init__(self) -> None:
        self.shared: Any = None
        self._lock = threading.Lock()
        self._listeners: list[Callable[[Exception], None]] = []

    def listen(self, listener: Callable[[Exception], None]) -> None:
        with self._lock:
            self._listeners.append(listener)

    def forget(self, listener: Callable[[Exception], None]) -> None:
        with self._lock:
            self._listeners.remove(listener)

    def fail(self, error: Exception) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener(error)
