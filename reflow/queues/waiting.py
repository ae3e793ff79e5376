"""Waiting: what a step does when a queue is empty or full.

A *waiting room* is a resource whose ops may have to wait for other threads. Besides success, two things end a wait: the
step's deadline (`RunOptions.timeout_in_ms`), and the end of the session that runs it. Both belong to the waiting
thread, `patience`.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from reflow.core import errors
from reflow.core.context import state, swapped
from reflow.core.resources import new_resource_name
from reflow.core.tensor import HostObject
from reflow.devices.step import sleepers


class Patience:
    """How long this thread may wait: until a time (`time.monotonic`), and while its session,
    something with `cancelled`, is open."""

    deadline = property(lambda self: state.deadline)
    session = property(lambda self: state.session)

    def left(self) -> float | None:
        """Seconds until the deadline; None without one. Raises if it has passed."""
        if state.deadline is None:
            return None
        left = state.deadline - time.monotonic()
        if left <= 0:
            raise errors.DeadlineExceededError(None, None, "Timed out waiting for notification")
        return left


patience = Patience()


def limited(milliseconds: int, session: Any) -> swapped:
    """A `with` block in which waits end after some time (0: never) and when `session.cancelled` becomes true."""
    deadline = time.monotonic() + milliseconds / 1000 if milliseconds else None
    return swapped(deadline=deadline, session=session, step=None)


class WaitingRoom(HostObject):
    """A resource with a lock, and lines in which threads wait for their turn."""

    __slots__ = ("name", "changed", "__weakref__")

    def __init__(self, kind: str, name: str = "") -> None:
        self.name = name or new_resource_name(kind)
        self.changed = threading.Condition()
        sleepers.add(self)

    def wake(self) -> None:
        """Let all who wait look again: something outside has changed."""
        with self.changed:
            self.changed.notify_all()

    def wait(
        self, line: deque, step: Callable[[], bool], cancelled: str, gone: Callable[[], bool] | None = None
    ) -> None:
        """Stand in line and call `step` whenever it is this thread's turn, until it returns true; the lock is held.

        Raises:
          CancelledError: with the text `cancelled`, if the session ends or `gone()` becomes true.
        """
        ticket = object()
        line.append(ticket)
        try:
            while line[0] is not ticket or not step():
                if getattr(patience.session, "cancelled", False) or gone is not None and gone():
                    raise errors.CancelledError(None, None, cancelled)
                self.changed.wait(patience.left())
        finally:
            line.remove(ticket)
            self.changed.notify_all()
