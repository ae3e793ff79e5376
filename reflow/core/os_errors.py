"""Maps operating-system errors to TensorFlow's classes.

Code that opens, reads or writes a file does so inside `os_errors(path)`: a full disk, a missing folder or a lost
permission then raises TensorFlow's class, with a message that names the file.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from reflow.core import errors

#: TensorFlow's class for each number; all others are UnknownError
_NUMBERS = {
    errors.NotFoundError: "ENOENT ENODEV ENXIO ESRCH",
    errors.PermissionDeniedError: "EACCES EPERM EROFS",
    errors.AlreadyExistsError: "EEXIST EADDRNOTAVAIL EALREADY",
    errors.FailedPreconditionError: "ENOTEMPTY EISDIR ENOTDIR EBUSY EBADF EPIPE ETXTBSY EADDRINUSE ENOTCONN",
    errors.ResourceExhaustedError: "ENOSPC EDQUOT EMFILE ENFILE EMLINK ENOMEM ENOBUFS",
    errors.OutOfRangeError: "EFBIG EOVERFLOW ERANGE",
    errors.InvalidArgumentError: "EINVAL ENAMETOOLONG E2BIG EILSEQ ESPIPE",
    errors.UnimplementedError: "ENOSYS ENOTSUP EXDEV",
    errors.UnavailableError: "EAGAIN EINTR ECONNREFUSED ECONNABORTED ECONNRESET ENETDOWN ENETUNREACH EHOSTUNREACH "
        "ENOLCK",
    errors.DeadlineExceededError: "ETIMEDOUT",
    errors.AbortedError: "ESTALE EDEADLK",
}
CLASSES = {getattr(errno, name): kind for kind, names in _NUMBERS.items() for name in names.split()}


def translated(path: str, error: OSError) -> errors.OpError:
    """TensorFlow's error for an OSError about the file `path`.

    >>> translated("/a", OSError(errno.ENOSPC, "No space left on device"))
    ResourceExhaustedError()
    """
    kind = CLASSES.get(error.errno or 0, errors.UnknownError)
    return kind(None, None, f"{error.filename or path}; {error.strerror or error}")


@contextlib.contextmanager
def os_errors(path: str) -> Iterator[None]:
    """Convert an OSError raised in the body to TensorFlow's class."""
    try:
        yield
    except OSError as error:
        raise translated(path, error) from error
