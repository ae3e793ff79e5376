"""`tensorflow.python.framework.errors_impl`: from status codes to classes of errors, and back."""

import warnings

from reflow.core import errors
from reflow.core.errors import InaccessibleTensorError as InaccessibleTensorError

_CLASSES = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.OpError) and kind is not errors.OpError
}


def exception_type_from_error_code(error_code):
    """The class of errors with a status code; KeyError if there is none."""
    return _CLASSES[error_code]


def error_code_from_exception_type(cls):
    """The status code of a class of errors, that of `UnknownError` for any other class."""
    return cls.code if isinstance(cls, type) and issubclass(cls, errors.OpError) else errors.UNKNOWN


def _make_specific_exception(node_def, op, message, error_code):
    """The error of a status code; an `UnknownError`, with a warning, if there is no such code."""
    if error_code in _CLASSES:
        return _CLASSES[error_code](node_def, op, message)
    warnings.warn(f"Unknown error code: {error_code}", stacklevel=2)
    return errors.UnknownError(node_def, op, message, error_code)
