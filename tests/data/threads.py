"""Threads of prefetching datasets."""

import threading
import time


def prefetch_threads():
    return [t for t in threading.enumerate() if t.name == "reflow-prefetch"]


def wait_until(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return condition()
