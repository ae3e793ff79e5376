"""`tf.compat.v1.name_scope` and `op_scope`: name scopes with a default name, in the graph of some tensors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from reflow.api.export import export
from reflow.core import name_scope as name_scopes
from reflow.core import nest
from reflow.core.context import state
from reflow.graph.node import Node


@export("compat.v1.name_scope")
class name_scope:
    """A prefix for what is made in a `with` block.

    Args:
      name: the scope; None means `default_name`, or without one the top.
      default_name: the scope of a function whose caller chose no name.
      values: tensors that the function was given: the block builds their graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.name_scope(None, "layer") as scope:
    ...     scope, tf.constant(1.0, name="x").name
    ('layer/', 'layer/x:0')
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: Any = None) -> None:
        if not isinstance(default_name, (str, type(None))):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely meant to pass "
                "this into the `values` kwarg."
            )
        if name is None and default_name is None and values is not None:
            raise ValueError(f"At least one of name ({name}) and default_name ({default_name}) must be provided.")
        self._name, self._values = default_name if name is None else name, values
        self._open: list[contextlib.ExitStack] = []

    name = property(lambda self: self._name)

    def __enter__(self) -> str:
        stack = contextlib.ExitStack()
        graph = None if self._values is None else _graph_of(self._values)
        if (
            graph is not None and graph is not state.graph
            and not (state.graph is not None and state.graph.building_function)
        ):
            stack.enter_context(graph.as_default())
        scope: str = stack.enter_context(name_scopes.name_scope(self._name or ""))
        self._open.append(stack)
        return scope

    def __exit__(self, *exc: object) -> None:
        self._open.pop().close()


def _graph_of(values: Any) -> Any:
    """The graph of the tensors among some values; ValueError if they are in different ones."""
    found: Any = None
    for value in nest.flatten(list(values) if isinstance(values, Iterable) else [values], expand_composites=True):
        value = getattr(value, "handle", value)  # a variable's
        graph = value.graph if isinstance(value, Node) else getattr(value, "_graph", None)
        if graph is None or graph.building_function:
            continue
        if found is not None and graph is not found:
            raise ValueError(f"{value} must be from the same graph as the other values.")
        found = graph
    return found


@export("compat.v1.op_scope")
def op_scope(values: Any, name: str | None, default_name: str | None = None) -> name_scope:
    """The older form of `name_scope`: the values come first.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1.0)
    ...     with tf.compat.v1.op_scope([x], "scaled"):
    ...         (x * 2.0).name
    'scaled/mul:0'
    """
    return name_scope(name, default_name, values)
