"""`tf.train.Coordinator`: threads that stop together, and whose errors are raised where they are joined."""

from __future__ import annotations

import contextlib
import sys
import threading
import time

from reflow.api.export import export
from reflow.core import errors
from reflow.core.logging import logger


@export("train.Coordinator")
class Coordinator:
    """A flag that says "stop" to several threads, and keeps the first error that one of them reported.

    >>> coordinator = Coordinator()
    >>> coordinator.request_stop()
    >>> coordinator.should_stop()
    True
    """

    joined: bool

    def __init__(self, clean_stop_exception_types=None):
        self._clean = (errors.OutOfRangeError,) if clean_stop_exception_types is None else clean_stop_exception_types
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._threads: set = set()
        self.joined = False

    def _meaningful(self, error):
        """An error to raise again: not one that only says that the data has ended."""
        error = error[1] if isinstance(error, tuple) else error
        return None if error is None or isinstance(error, tuple(self._clean)) else error

    def request_stop(self, ex=None):
        """Ask all threads to stop; `ex`, an error or what `sys.exc_info()` gives, is raised by `join`."""
        with self._lock:
            error = self._meaningful(ex)
            if self.joined:
                if error is not None:
                    raise error
                return
            if not self._stop.is_set():
                self._error = error
                if error is not None:
                    logger.info(f"Error reported to Coordinator: {type(error)}, {error}")
            self._stop.set()

    def clear_stop(self):
        """Begin again."""
        with self._lock:
            self.joined, self._error = False, None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A `with` block whose errors become the reason to stop."""
        try:
            yield
        except:  # noqa: E722 - whatever ends a thread is handed to whoever joins it
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout=None) -> bool:
        """Wait until a stop is requested; returns whether that happened in time."""
        return self._stop.wait(timeout)

    def register_thread(self, thread):
        """Let `join` wait for a thread too."""
        with self._lock:
            self._threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Wait until all threads have ended, and raise the error that one of them reported.

        Once a stop is asked for, threads that are still alive after the grace period are an error of their own.
        """
        with self._lock:
            waiting = self._threads | set(threads or ())
        while any(t.is_alive() for t in waiting) and not self.wait_for_stop(1.0 if len(waiting) > 1 else 0.05):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in waiting:
            thread.join(max(0.0, deadline - time.monotonic()) if self.should_stop() else None)
        with self._lock:
            self.joined = True
            self._threads = set()
            if self._error is not None:
                raise self._error
            left = [t.name for t in waiting if t.is_alive()]
            if left and not ignore_live_threads:
                raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(left)}")
            if left:
                logger.info(f"Coordinator stopped with threads still running: {' '.join(left)}")

    def raise_requested_exception(self):
        """Raise the error that was reported, if there is one."""
        with self._lock:
            if self._error is not None:
                raise self._error
