"""What Python and NumPy raise inside a kernel, as TensorFlow's classes.

A kernel may fail in Python's own words: a division by zero, an index, an allocation. Whoever runs kernels (eager execution,
its placed form, the interpreter) catches `FAILURES` and raises the class that `class_of` gives, with the op's name.
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
    """TensorFlow's class for what a kernel raised.

    >>> class_of(ZeroDivisionError()).__name__, class_of(MemoryError()).__name__
    ('InvalidArgumentError', 'ResourceExhaustedError')
    """
    if isinstance(error, (MemoryError, RecursionError)):
        return errors.ResourceExhaustedError
    if isinstance(error, OSError):
        return CLASSES.get(error.errno or 0, errors.UnknownError)
    return errors.DataLossError if isinstance(error, zlib.error) else errors.InvalidArgumentError
