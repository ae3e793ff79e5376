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
    """The operation was cancelled.

    >>> tf.errors.CancelledError(None, None, "The step was cancelled.").error_code
    1
    """

    code = CANCELLED


class UnknownError(OpError):
    """An error that fits no other class.

    >>> tf.errors.UnknownError(None, None, "The server said nothing.").error_code
    2
    """

    code = UNKNOWN


class InvalidArgumentError(OpError):
    """An op got an invalid argument.

    >>> try:
    ...     tf.reshape([1, 2, 3], [2, 2])
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(error.error_code)
    3
    """

    code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """A deadline expired.

    >>> tf.errors.DeadlineExceededError(None, None, "No answer within 5 s.").error_code
    4
    """

    code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A file, key or kernel does not exist.

    >>> try:
    ...     tf.io.read_file("no such file")
    ... except tf.errors.NotFoundError as error:
    ...     print(error.error_code)
    5
    """

    code = NOT_FOUND


class AlreadyExistsError(OpError):
    """The object to create already exists.

    >>> import tempfile
    >>> name = f"{tempfile.mkdtemp()}/a"
    >>> tf.io.write_file(name, "words")
    >>> try:
    ...     tf.io.gfile.copy(name, name)
    ... except tf.errors.AlreadyExistsError as error:
    ...     print(error.error_code)
    6
    """

    code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this.

    >>> tf.errors.PermissionDeniedError(None, None, "The folder may only be read.").error_code
    7
    """

    code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    """The caller could not be authenticated.

    >>> tf.errors.UnauthenticatedError(None, None, "No credentials.").error_code
    16
    """

    code = UNAUTHENTICATED


class ResourceExhaustedError(OpError):
    """Memory, disk or quota ran out.

    >>> tf.errors.ResourceExhaustedError(None, None, "Out of memory.").error_code
    8
    """

    code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The system is not in a state that allows this.

    >>> import tempfile
    >>> try:
    ...     tf.io.gfile.remove(tempfile.mkdtemp())  # a folder
    ... except tf.errors.FailedPreconditionError as error:
    ...     print(error.error_code)
    9
    """

    code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation was aborted, usually by a race.

    >>> tf.errors.AbortedError(None, None, "Another step was faster.").error_code
    10
    """

    code = ABORTED


class OutOfRangeError(OpError):
    """An iterator or reader went past its end.

    >>> try:
    ...     iterator = iter(tf.data.Dataset.range(0))
    ...     iterator.get_next()
    ... except tf.errors.OutOfRangeError as error:
    ...     print(error.error_code)
    11
    """

    code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """The operation is not implemented on this device.

    >>> tf.errors.UnimplementedError(None, None, "No kernel for complex numbers.").error_code
    12
    """

    code = UNIMPLEMENTED


class InternalError(OpError):
    """An invariant of the system is broken.

    >>> tf.errors.InternalError(None, None, "This cannot be.").error_code
    13
    """

    code = INTERNAL


class UnavailableError(OpError):
    """A service cannot be reached now.

    >>> tf.errors.UnavailableError(None, None, "The worker does not answer.").error_code
    14
    """

    code = UNAVAILABLE


class DataLossError(OpError):
    """A file is truncated or corrupt.

    >>> import tempfile
    >>> name = f"{tempfile.mkdtemp()}/records"
    >>> tf.io.write_file(name, "not a TFRecord file")
    >>> try:
    ...     list(tf.data.TFRecordDataset(name))
    ... except tf.errors.DataLossError as error:
    ...     print(error.error_code)
    15
    """

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

    >>> @tf.function(autograph=False)
    ... def f(x):
    ...     return 1 if x > 0 else 2
    >>> try:
    ...     f(tf.constant(1.0))
    ... except tf.errors.OperatorNotAllowedInGraphError:
    ...     print("use tf.cond, or AutoGraph")
    use tf.cond, or AutoGraph
    """


class InaccessibleTensorError(ValueError):
    """A tensor was used outside of the branch, loop, function or graph that it belongs to.

    Args:
      *args: What went wrong.

    >>> issubclass(tf.errors.InaccessibleTensorError, ValueError)
    True
    """
