"""Maps errors that Python and NumPy raise inside a kernel to TensorFlow's classes.

A kernel may fail with a plain Python error: a division by zero, an index, an allocation. The code that runs kernels
(eager execution, its placed form, the interpreter) catches `FAILURES` and raises the class that `class_of` returns,
with the op's name.
"""

from __future__ import annotations

import struct
import zlib

from reflow.core import errors
from reflow.core.os_errors import CLASSES

FAILURES = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    MemoryError,
    RecursionError,
    OSError,
    struct.error,
    zlib.error,
)


def class_of(error: BaseException) -> type[errors.OpError]:
    """TensorFlow's class for an error raised by a kernel.

    >>> class_of(ZeroDivisionError()).__name__, class_of(MemoryError()).__name__
    ('InvalidArgumentError', 'ResourceExhaustedError')
    """
    if isinstance(error, (MemoryError, RecursionError)):
        return errors.ResourceExhaustedError
    if isinstance(error, OSError):
        return CLASSES.get(error.errno or 0, errors.UnknownError)
    return errors.DataLossError if isinstance(error, zlib.error) else errors.InvalidArgumentError
