"""`tf.contrib.framework.arg_scope`: default arguments for functions, as long as a context lasts."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

#: the defaults of each function, for each context that is open; the last one counts
_open: list[dict[Callable, dict[str, Any]]] = [{}]


def add_arg_scope(function: Callable) -> Callable:
    """Let `arg_scope` give a function default arguments. What a call passes counts more."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        defaults = _open[-1].get(call)
        if defaults:
            bound = inspect.signature(function).bind_partial(*args).arguments
            kwargs = {k: v for k, v in defaults.items() if k not in bound} | kwargs
        return function(*args, **kwargs)

    call._takes_scopes = True  # type: ignore[attr-defined]
    return call


def has_arg_scope(function: Callable) -> bool:
    """Whether `arg_scope` can give a function default arguments."""
    return hasattr(function, "_takes_scopes") or hasattr(function, "_key_op")


def arg_scoped_arguments(function: Callable) -> tuple[str, ...]:
    """The arguments of a function that have defaults."""
    signature = inspect.signature(function)
    return tuple(p.name for p in signature.parameters.values() if p.default is not p.empty)


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[dict]:
    """Give functions default arguments inside a context: a list of functions, or what an earlier context was bound to.

    Functions of the package `tf_slim` may be among them.
    """
    if isinstance(list_ops_or_scope, Mapping):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling adictionary, kwargs must be empty.")
        added = dict(list_ops_or_scope)
        theirs: list = []
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                raise ValueError(f"{function.__module__}.{function.__name__} is not decorated with @add_arg_scope")
        theirs = [f for f in list_ops_or_scope if not hasattr(f, "_takes_scopes")]
        added = {f: _open[-1].get(f, {}) | kwargs for f in list_ops_or_scope if hasattr(f, "_takes_scopes")}
    _open.append(_open[-1] | added)
    try:
        with sys.modules["tf_slim"].arg_scope(theirs, **kwargs) if theirs else contextlib.nullcontext():
            yield dict(_open[-1])
    finally:
        _open.pop()


def current_arg_scope() -> dict:
    """The defaults that count now."""
    return dict(_open[-1])
