"""`tensorflow.python.eager.core`: how a failed op reaches Python."""

from reflow.core import errors
from reflow.drop_in.python.framework.errors_impl import exception_type_from_error_code


class _NotOkStatusException(Exception):
    """A failure with its code and message, before it has its class of `tf.errors`."""

    def __init__(self, message, code, payloads=None):
        super().__init__()
        self.message, self.code, self.payloads = message, code, payloads

    def __str__(self):
        error = _status_to_exception(self)
        return f"{type(error).__name__}: {error}"


class _FallbackException(Exception):
    """The fast way to run an op does not fit its arguments."""


class _SymbolicException(Exception):
    """An eager op was given a symbolic tensor."""


def _status_to_exception(status):
    """The error of `tf.errors` that a failure's code stands for."""
    try:
        return exception_type_from_error_code(status.code)(None, None, status.message)
    except KeyError:
        return errors.UnknownError(None, None, status.message)
