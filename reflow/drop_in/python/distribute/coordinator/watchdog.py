"""`tensorflow.python.distribute.coordinator.watchdog`: prints the stacks of all threads when work stops."""

import faulthandler
import os
import sys
import threading
from collections.abc import Callable
from typing import TextIO


class WatchDog:
    """Writes all threads' stacks if nothing was reported for `timeout` seconds; a negative timeout means never."""

    def __init__(
        self, timeout: float = -1, traceback_file: TextIO = sys.stdout, on_triggered: Callable[[], object] | None = None
    ) -> None:
        env = os.environ.get("TF_CLUSTER_COORDINATOR_WATCH_DOG_TIMEOUT", "")
        self._timeout = int(env) if env.isnumeric() else timeout
        self._file, self._on_triggered = traceback_file, on_triggered
        self._stopped, self._reported = threading.Event(), threading.Event()
        if self._timeout > 0:
            self._thread = threading.Thread(target=self._watch, name="WatchDog", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stops the watching."""
        self._stopped.set()
        self._reported.set()
        if self._timeout > 0:
            self._thread.join()

    def report_closure_done(self) -> None:
        """Say that work goes on."""
        self._reported.set()

    def _watch(self) -> None:
        while not self._stopped.is_set():
            if not self._reported.wait(self._timeout):
                self._trigger()
            self._reported.clear()

    def _trigger(self) -> None:
        if self._on_triggered is not None:
            self._on_triggered()
        faulthandler.dump_traceback(file=self._file)
        self._file.write("==== End of stack traces ====\n")
