"""`tensorflow.python.eager.cancellation`: functions that another thread can stop while they wait."""

from reflow.core.errors import CancelledError
from reflow.devices.step import wake_all
from reflow.drop_in.python.eager import executor
from reflow.queues import waiting


class CancellationManager:
    """Stops functions: those that wait in a queue raise `CancelledError`, others when they are called next."""

    def __init__(self):
        self.cancelled = False

    is_cancelled = property(lambda self: self.cancelled, doc="Whether `start_cancel` was called.")

    def start_cancel(self):
        """Stop the functions of this manager."""
        self.cancelled = True
        wake_all()

    def get_cancelable_function(self, concrete_function):
        """A function that does what another does until this manager stops it."""

        def cancellable(*args, **kwargs):
            if self.cancelled:
                raise CancelledError(None, None, "Function execution was cancelled before it began")
            chosen = getattr(executor.current, "executor", None)
            if chosen is not None and chosen.is_async():
                return chosen.submit(lambda: concrete_function(*args, **kwargs), self)
            with waiting.limited(0, self):
                return concrete_function(*args, **kwargs)

        return cancellable
