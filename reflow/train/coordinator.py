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

    Args:
      clean_stop_exception_types: Classes of errors that only mean the end; by default `tf.errors.OutOfRangeError`.

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
        """Asks all threads to stop.

        Args:
          ex: The reason, which `join` raises: an error, or what `sys.exc_info()` returns.
        """
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
        """Takes the request to stop back, so that threads may begin again."""
        with self._lock:
            self.joined, self._error = False, None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Says whether a stop was requested.

        Returns:
          A bool.
        """
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A `with` block whose errors become the reason to stop."""
        try:
            yield
        except:  # noqa: E722 - whatever ends a thread is handed to whoever joins it
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout=None) -> bool:
        """Waits until a stop is requested.

        Args:
          timeout: How many seconds to wait at most; by default without end.

        Returns:
          Whether it was requested in time.
        """
        return self._stop.wait(timeout)

    def register_thread(self, thread):
        """Lets `join` wait for a thread too.

        Args:
          thread: The thread.
        """
        with self._lock:
            self._threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits until all threads have ended, and raises the error that one of them reported.

        Args:
          threads: The threads, in addition to those registered.
          stop_grace_period_secs: How long threads may go on after a stop was requested.
          ignore_live_threads: Whether threads that are alive after that are only logged.

        Raises:
          RuntimeError: Threads are still alive.
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
