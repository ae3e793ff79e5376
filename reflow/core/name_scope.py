"""`tf.name_scope`: a prefix for the names of variables and graph nodes."""

from __future__ import annotations

from collections.abc import Callable

from reflow.core.context import state


class name_scope:
    """A prefix for what is made in a `with` block; entering yields the full scope, ending in `/`. It can be entered again.

    >>> with name_scope("layer") as scope:
    ...     scope
    'layer/'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._leave: list[Callable[[], None]] = []

    name = property(lambda self: self._name)

    def __enter__(self) -> str:
        if state.graph is not None:
            scope = state.graph.scope(self._name)
            full = scope.__enter__()
            self._leave.append(lambda: scope.__exit__(None, None, None))
            return full
        old = state.name_scope
        state.name_scope = self._name if self._name.endswith("/") else f"{old}{self._name}/" if self._name else ""
        self._leave.append(lambda: setattr(state, "name_scope", old))
        return state.name_scope

    def __exit__(self, *exc_info: object) -> None:
        self._leave.pop()()
