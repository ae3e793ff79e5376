"""The host's cores: how many this process may use, and how many of them are idle."""

from __future__ import annotations

import contextlib
import os
import time

#: the cores that this process may use. Asked once: it takes longer than to begin a small pipeline
AVAILABLE = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
PERIOD = 0.02  # seconds between two counts, which take 23 µs each
_RUNNING = "/proc/loadavg"


class IdleCores:
    """Counts the cores on which nothing else runs, be it another program or another thread of this one."""

    def __init__(self) -> None:
        #: the cores of the machine; 0 where what runs there says nothing about ours: it has more than we may use
        self.cores = AVAILABLE if os.cpu_count() == AVAILABLE and os.path.exists(_RUNNING) else 0
        self.until = 0.0  # when the count is old
        self.idle = self.cores

    def __call__(self) -> int:
        """How many there are now, this thread's among them; 0 if that is not known."""
        now = time.monotonic()
        if self.cores and now >= self.until:
            self.until = now + PERIOD
            # the file cannot be opened while the process has as many files as it may have
            with contextlib.suppress(OSError, ValueError, IndexError), open(_RUNNING, "rb") as file:
                running = int(file.read().split()[3].partition(b"/")[0])
                self.idle = max(1, self.cores - running + 1)
        return self.idle


idle_cores = IdleCores()
