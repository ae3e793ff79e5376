"""`with` blocks that are always undone.

A signal (Ctrl-C) can arrive at the end of `__enter__`, when everything is changed but the block has not begun, or at
the beginning of `__exit__`, when nothing is undone yet. Python then leaves the `with` statement, and no code in the two
methods can help. But a `with` statement takes the bound `__exit__` before it calls `__enter__`, and always releases it
on the way out. So the bound `__exit__` of a `Scope` is a separate object that undoes the change when it is destroyed.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from collections.abc import Callable
from typing import Any

Values = dict[str, Any]
_number = itertools.count(1).__next__


class _Here(threading.local):
    taken = (0, 0)  # the id of the scope whose `__exit__` this thread took last, and that object's number


_here = _Here()


class _Exit(functools.partial[None]):
    """The `__exit__` that one `with` statement holds. C code calls it, so no traceback frame keeps it alive."""

    def __del__(self) -> None:
        scope, number = self.args
        if number in scope._entries:
            scope._leave(number, late=True)


class _ExitOf:
    """Gives each `with` statement its own `__exit__`; accessed on the class it is a plain function."""

    def __get__(self, scope: Scope | None, kind: type | None = None) -> Callable[..., None]:
        if scope is None:
            return _exit_last
        number = _number()
        _here.taken = id(scope), number
        return _Exit(_exit, scope, number)


def _exit(scope: Scope, number: int, kind: Any = None, error: Any = None, traceback: Any = None) -> None:
    """Leave what the statement entered."""
    entries = scope._entries
    if number not in entries:  # entered without a `with` statement
        number = next(reversed(entries))
    scope._undo(entries[number], False)
    del entries[number]


def _exit_last(scope: Scope, kind: Any = None, error: Any = None, traceback: Any = None) -> None:
    """Leave the most recent entry: for `contextlib.ExitStack`, which looks `__exit__` up on the class."""
    _exit(scope, 0)


class Scope:
    """Base class of context managers; one can be entered several times.

    A subclass implements three steps: `_prepare` computes what to do and may raise, `_apply` does it and returns the
    value for `as`, and `_undo` reverts it, however much of it was done.
    """

    def __init__(self) -> None:
        self._entries: dict[int, Any] = {}  # open entries, by the number of the `__exit__` that will leave them

    def __enter__(self) -> Any:
        scope, number = _here.taken
        if scope != id(self) or number in self._entries:  # entered without a `with` statement
            number = _number()
        entry = self._entries[number] = self._prepare()
        try:
            return self._apply(entry)
        except BaseException:
            self._leave(number, late=True)  # undo only what was done
            raise

    __exit__ = _ExitOf()

    def _leave(self, number: int, late: bool = False) -> None:
        """Undo one entry."""
        self._undo(self._entries[number], late)
        del self._entries[number]

    def _leave_all(self, late: bool) -> None:
        """Undo all open entries: for a scope that another one has entered."""
        for number in reversed(list(self._entries)):
            self._leave(number, late)

    def _prepare(self) -> Any:
        """Returns what `_undo` needs to know."""
        raise NotImplementedError

    def _apply(self, entry: Any) -> Any:
        raise NotImplementedError

    def _undo(self, entry: Any, late: bool) -> None:
        """`late`: a signal ended the statement, perhaps some time ago, so other code may have made changes since."""
        raise NotImplementedError


class Swapped(Scope, contextlib.ContextDecorator):
    """Sets attributes of an object for a `with` block, or for the calls of a function that it decorates.

    `values` may be a function, called when the block is entered. `returns` names the attribute whose new value `as`
    binds.

    >>> import types
    >>> graph = types.SimpleNamespace(label="a")
    >>> with Swapped(graph, {"label": "b"}, "label") as label:
    ...     (graph.label, label)
    ('b', 'b')
    >>> graph.label
    'a'
    """

    def __init__(self, target: Any, values: Values | Callable[[], Values], returns: str | None = None) -> None:
        self._entries = {}
        self._target, self._values, self._returns = target, values, returns

    def _prepare(self) -> Any:
        new: Any = self._values
        new = new() if callable(new) else new
        return new, {name: getattr(self._target, name) for name in new}

    def _apply(self, entry: Any) -> Any:
        new = entry[0]
        self._set(new)
        return None if self._returns is None else new[self._returns]

    def _undo(self, entry: Any, late: bool) -> None:
        new, old = entry
        if late:
            old = {name: value for name, value in old.items() if getattr(self._target, name) is new[name]}
        self._set(old)

    def _set(self, values: Values) -> None:
        for name, value in values.items():
            setattr(self._target, name, value)


class Together(Scope):
    """Enters several scopes in order and leaves them in reverse. A subclass creates them."""

    def _scopes(self) -> list[Scope]:
        raise NotImplementedError

    def _prepare(self) -> Any:
        return self._scopes()

    def _apply(self, entry: Any) -> Any:
        for scope in entry:
            scope.__enter__()

    def _undo(self, entry: Any, late: bool) -> None:
        for scope in reversed(entry):
            scope._leave_all(late)
