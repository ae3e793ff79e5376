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
    if isinstance(error, (MemoryError, RecursionError)) or _is_too_big(error):
        return errors.ResourceExhaustedError
    if isinstance(error, OSError):
        return CLASSES.get(error.errno or 0, errors.UnknownError)
    return errors.DataLossError if isinstance(error, zlib.error) else errors.InvalidArgumentError


def message_of(error: BaseException) -> str:
    """What an error says; an allocation that failed says it in TensorFlow's words. NumPy's errors know the array.

    >>> message_of(MemoryError()), message_of(ZeroDivisionError())
    ('OOM when allocating a tensor', 'ZeroDivisionError')
    """
    if not isinstance(error, MemoryError) and not _is_too_big(error):
        return str(error) or type(error).__name__
    shape, kind = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is None or kind is None:
        return "OOM when allocating a tensor" if _is_too_big(error) else str(error) or "OOM when allocating a tensor"
    return f"OOM when allocating tensor with shape[{','.join(map(str, shape))}] and type {kind}"


def _is_too_big(error: BaseException) -> bool:
    """NumPy refuses an array whose bytes exceed the address space before it tries to allocate it."""
    return isinstance(error, ValueError) and str(error).startswith(("array is too big", "Maximum allowed dimension"))
