"""`tf.name_scope`: a prefix for the names of variables and graph nodes."""

from __future__ import annotations

from typing import Any

from reflow.core.context import state
from reflow.core.scope import Scope


class name_scope(Scope):
    """Puts a prefix before names created in a `with` block. It can be entered again.

    `as` binds the full scope, ending in `/`.

    Args:
      name: The prefix; one that ends in `/` is a full scope, "" leaves all scopes.

    Raises:
      ValueError: `name` is not a string.

    >>> with name_scope("layer") as scope:
    ...     scope
    'layer/'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        super().__init__()
        self._name = name

    name = property(lambda self: self._name)

    def _prepare(self) -> Any:
        graph, name = state.graph, self._name
        if graph is not None:
            return graph, "scope_now", graph.scope_now, graph.new_scope(name)
        old = state.name_scope
        return state, "name_scope", old, name if name.endswith("/") else f"{old}{name}/" if name else ""

    def _apply(self, entry: Any) -> str:
        where, attribute, _, new = entry
        setattr(where, attribute, new)
        return new

    def _undo(self, entry: Any, late: bool) -> None:
        where, attribute, old, new = entry
        if not late or getattr(where, attribute) is new:
            setattr(where, attribute, old)
