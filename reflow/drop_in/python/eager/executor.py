"""`tensorflow.python.eager.executor`: what runs eager ops, in this thread or,
for functions that can be cancelled, in another."""

import threading
from typing import Any

from reflow.api.framework.internal import Context
from reflow.core.context import state
from reflow.core.errors import CancelledError

_PATIENCE = 0.2  # seconds after which a function that was cancelled is left alone


class Executor(Context.Executor):
    """Runs ops at once: each is done when it returns.

    An asynchronous one runs cancellable functions in a thread of its own.
    """

    def __init__(self, enable_async=False, enable_streaming_enqueue=True):
        self._async = bool(enable_async)
        self._threads: list[tuple[threading.Thread, Any]] = []
        self._errors: list[BaseException] = []

    def is_async(self):
        """Whether functions may still run after they were called."""
        return self._async

    def submit(self, function, manager):
        """Begin to call a function, which a `CancellationManager` may stop."""
        around = state.surroundings()

        def call():
            state.put(around)
            try:
                function()
            except BaseException as error:  # raised where somebody waits
                self._errors.append(error)

        thread = threading.Thread(target=call, daemon=True)
        self._threads.append((thread, manager))
        thread.start()

    def wait(self):
        """Return when all functions are done; raises what the first of them raised."""
        while self._threads:
            thread, manager = self._threads[0]
            thread.join(_PATIENCE)
            if thread.is_alive() and not manager.is_cancelled:
                continue
            del self._threads[0]
            if thread.is_alive():  # what it has begun to fetch stays begun, as in TensorFlow
                self._errors.append(CancelledError(None, None, "Function execution was cancelled"))
        if self._errors:
            raise self._errors.pop(0)

    def clear_error(self):
        """Forget what functions raised."""
        self._errors.clear()


#: the executor of each thread, if it has chosen one
current = threading.local()


def new_executor(enable_async, enable_streaming_enqueue=True, in_flight_nodes_limit=0):
    """An executor, for `context.executor_scope`."""
    return Executor(enable_async, enable_streaming_enqueue)
