"""Names of Python functions in files (`pyfunc_0`): a node that calls Python is written with a name that this process
can resolve.

A name is valid as long as something else, such as the written graph, keeps the function alive.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

_numbers = itertools.count()
_functions: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_names: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()


def name_of(function: Callable) -> str:
    """The name of a function, always the same one."""
    if function not in _names:
        _names[function] = f"pyfunc_{next(_numbers)}"
        _functions[_names[function]] = function
    return _names[function]


def function_of(token: Any) -> Any:
    """The function of a name, or None. A function is returned as it is."""
    if callable(token):
        return token
    return _functions.get(token.decode(errors="replace") if isinstance(token, bytes) else token)
