"""`with` blocks that are undone whatever happens.

A signal (Ctrl-C) can strike at the end of `__enter__`, when everything is changed and the block has not begun, and at the beginning
of `__exit__`, when nothing is undone yet. Python then leaves the `with` statement, and no code in the two methods can help. But a
`with` statement takes the bound `__exit__` before it calls `__enter__`, and lets go of it in every case when it is left. So the bound
`__exit__` of a `Scope` is an object of its own, which undoes the change when it is thrown away.
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
    taken = (0, 0)  # the id of the scope whose `__exit__` this thread has taken last, and the number of that


_here = _Here()


class _Exit(functools.partial[None]):
    """The `__exit__` that one `with` statement holds. It is called by C code, so that no frame of a traceback holds it too."""

    def __del__(self) -> None:
        scope, number = self.args
        if number in scope._entries:
            scope._leave(number, late=True)


class _ExitOf:
    """Gives each `with` statement an `__exit__` of its own; on a class it is a function, as usual."""

    def __get__(self, scope: Scope | None, kind: type | None = None) -> Callable[..., None]:
        if scope is None:
            return _exit_last
        number = _number()
        _here.taken = id(scope), number
        return _Exit(_exit, scope, number)


def _exit(scope: Scope, number: int, kind: Any = None, error: Any = None, traceback: Any = None) -> None:
    """Leave what the statement has entered."""
    entries = scope._entries
    if number not in entries:  # entered by hand
        number = next(reversed(entries))
    scope._undo(entries[number], False)
    del entries[number]


def _exit_last(scope: Scope, kind: Any = None, error: Any = None, traceback: Any = None) -> None:
    """Leave what was entered last: for `contextlib.ExitStack`, which asks the class."""
    _exit(scope, 0)


class Scope:
    """Base of objects for `with` statements; one may be entered several times.

    A subclass says what entering means in three steps: `_prepare` finds out what there is to do and may raise, `_apply` does it and
    returns what `as` names, `_undo` takes it back, however much of it was done.
    """

    def __init__(self) -> None:
        self._entries: dict[int, Any] = {}  # what has been entered and not left, by the number of the `__exit__` that will leave it

    def __enter__(self) -> Any:
        scope, number = _here.taken
        if scope != id(self) or number in self._entries:  # entered by hand, without a `with` statement
            number = _number()
        entry = self._entries[number] = self._prepare()
        try:
            return self._apply(entry)
        except BaseException:
            self._leave(number, late=True)  # what was not done need not be undone
            raise

    __exit__ = _ExitOf()

    def _leave(self, number: int, late: bool = False) -> None:
        """Undo one entry."""
        self._undo(self._entries[number], late)
        del self._entries[number]

    def _leave_all(self, late: bool) -> None:
        """Undo what has been entered, if anything: for a scope that another one has entered."""
        for number in reversed(list(self._entries)):
            self._leave(number, late)

    def _prepare(self) -> Any:
        """What `_undo` has to know."""
        raise NotImplementedError

    def _apply(self, entry: Any) -> Any:
        raise NotImplementedError

    def _undo(self, entry: Any, late: bool) -> None:
        """`late`: the statement was left by a signal, perhaps some time ago, so others may have made changes since."""
        raise NotImplementedError


class Swapped(Scope, contextlib.ContextDecorator):
    """Other values for attributes of an object, for a `with` block, or for the calls of a function that it decorates.

    `values` may be a function that is asked when the block is entered; `returns` names the attribute whose new value `as` gets.

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
    """Several scopes entered one after the other, and left in the other order. A subclass makes them."""

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
