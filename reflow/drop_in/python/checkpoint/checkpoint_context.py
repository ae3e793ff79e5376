"""`tensorflow.python.checkpoint.checkpoint_context`.

Whether this thread saves because of a preemption, or measures in the background.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

_open = threading.local()


def _pair(kind: str) -> tuple[Callable[[], AbstractContextManager[None]], Callable[[], bool]]:
    """(a context, whether this thread is in one)."""

    @contextlib.contextmanager
    def context() -> Iterator[None]:
        setattr(_open, kind, True)
        try:
            yield
        finally:
            setattr(_open, kind, False)

    return context, lambda: getattr(_open, kind, False)


preemption_save_context, in_preemption_save_context = _pair("preemption")
async_metrics_context, in_async_metrics_context = _pair("async_metrics")
