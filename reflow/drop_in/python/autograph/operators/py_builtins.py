"""`tensorflow.python.autograph.operators.py_builtins`: builtin functions of converted code.

What the functions of the rewriter find is the frame of the user's function: names that converted code asks for there by
text.
"""

from typing import Any

from malt.operators.py_builtins import (  # noqa: F401 - their names here
    eval_in_original_context,
    globals_in_original_context,
    locals_in_original_context,
    super_in_original_context,
)

from reflow.api.autograph.builtin_functions import (  # noqa: F401 - their names here
    OVERLOADS,
    UNSPECIFIED,
    abs_,
    all_,
    any_,
    enumerate_,
    filter_,
    float_,
    int_,
    len_,
    map_,
    max_,
    min_,
    next_,
    print_,
    range_,
    sorted_,
    zip_,
)

SUPPORTED_BUILTINS = tuple(OVERLOADS)
_overloads: dict[Any, Any] = dict(OVERLOADS)
BUILTIN_FUNCTIONS_MAP = {function.__name__: overload for function, overload in _overloads.items()}


def overload_of(f):
    """What converted code calls in place of a builtin function: the function itself if nothing else."""
    return OVERLOADS.get(f, f)


def next_py(iterator, default=UNSPECIFIED):
    """Python's own `next`."""
    return next(iterator) if default is UNSPECIFIED else next(iterator, default)
