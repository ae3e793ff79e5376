"""`tensorflow.python.ops.script_ops`: how functions that call Python become decorators."""

from reflow.api.control.py_functions import checked_or_decorator as _check_args_and_maybe_make_decorator

__all__ = ["_check_args_and_maybe_make_decorator"]
