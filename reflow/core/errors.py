"""TensorFlow's error classes (`tf.errors`): one class per canonical status code.

Every class takes `(node_def, op, message)` as in TensorFlow. Code inside Reflow raises them with
`InvalidArgumentError(None, None, "...")`; dispatch adds the op's name to the message of an eager failure.
"""

from __future__ import annotations

from typing import Any, TypeVar

Raised = TypeVar("Raised", bound=BaseException)

CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED = 1, 2, 3, 4
OK, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED = 0, 5, 6, 7
RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE = 8, 9, 10, 11
UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = 12, 13, 14, 15, 16


class OpError(Exception):
    """The base class: an op failed while it ran.

    Args:
      node_def: The NodeDef of the op, or None.
      op: The operation, or None.
      message: What went wrong.
      error_code: The number of the status; by default that of the class.
      *args: Arguments of `Exception`.

    >>> OpError(None, None, "bad", 3).error_code
    3
    """

    code = UNKNOWN

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int | None = None, *args: Any) -> None:
        super().__init__(*args)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = self.code if error_code is None else error_code

    message = property(lambda self: self._message)
    op = property(lambda self: self._op)
    node_def = property(lambda self: self._node_def)
    error_code = property(lambda self: self._error_code)
    experimental_payloads = property(lambda self: {})

    def __str__(self) -> str:
        return str(self._message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, None, self._message)


class CancelledError(OpError):
    """The operation was cancelled."""

    code = CANCELLED


class UnknownError(OpError):
    """An error that fits no other class."""

    code = UNKNOWN


class InvalidArgumentError(OpError):
    """An op got an invalid argument."""

    code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """A deadline expired."""

    code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A file, key or kernel does not exist."""

    code = NOT_FOUND


class AlreadyExistsError(OpError):
    """The object to create already exists."""

    code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    """The caller could not be authenticated."""

    code = UNAUTHENTICATED


class ResourceExhaustedError(OpError):
    """Memory, disk or quota ran out."""

    code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The system is not in a state that allows this."""

    code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation was aborted, usually by a race."""

    code = ABORTED


class OutOfRangeError(OpError):
    """An iterator or reader went past its end."""

    code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """The operation is not implemented on this device."""

    code = UNIMPLEMENTED


class InternalError(OpError):
    """An invariant of the system is broken."""

    code = INTERNAL


class UnavailableError(OpError):
    """A service cannot be reached now."""

    code = UNAVAILABLE


class DataLossError(OpError):
    """A file is truncated or corrupt."""

    code = DATA_LOSS


for _class in OpError.__subclasses__():
    if _class.__doc__:  # none in `python -OO`
        _class.__doc__ += """

    Args:
      node_def: The NodeDef of the op, or None.
      op: The operation, or None.
      message: What went wrong.
      error_code: The number of the status; by default that of the class.
      *args: Arguments of `Exception`.
    """
del _class

_OF_STATUS = {
    "INVALID_ARGUMENT": InvalidArgumentError,
    "RESOURCE_EXHAUSTED": ResourceExhaustedError,
    "UNIMPLEMENTED": UnimplementedError,
    "INTERNAL": InternalError,
    "UNKNOWN": UnknownError,
}


def advised(error: Raised, remedy: str) -> Raised:
    """The error with a note that suggests a fix. Tracebacks show notes; the message stays TensorFlow's.

    >>> advised(ValueError("too long"), "Cut it.").__notes__
    ['Hint: Cut it.']
    """
    error.add_note(f"Hint: {remedy}")
    return error


def raise_of_program(error: RuntimeError) -> None:
    """Raise TensorFlow's error for a program that failed in XLA, if its text begins with a status such as
    "RESOURCE_EXHAUSTED:".

    Returns if it does not.

    >>> raise_of_program(RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes."))
    Traceback (most recent call last):
    reflow.core.errors.ResourceExhaustedError: Out of memory allocating 8 bytes.
    """
    status, _, words = str(error).partition(": ")
    if status in _OF_STATUS:
        raise _OF_STATUS[status](None, None, words) from error


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value (`if tensor:`, `for x in tensor:`).

    Args:
      *args: What went wrong.
    """


class InaccessibleTensorError(ValueError):
    """A tensor was used outside of the branch, loop, function or graph that it belongs to.

    Args:
      *args: What went wrong.
    """
