"""`tf.device` in a graph: a name, or a function from a node to a name.

The name may belong to a machine that is not available until a session runs the node.

Outer scopes fill in the parts of a name that inner ones leave out. A function sees the node with the choices of the
scopes inside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reflow.core.context import state
from reflow.devices.names import merged
from reflow.devices.placement import NOT_NESTED, DeviceScope

if TYPE_CHECKING:
    from reflow.graph.graph import Graph
    from reflow.graph.node import Node


class GraphDeviceScope(DeviceScope):
    """A `with` block whose nodes are placed by a name or a function; None cancels the surrounding scopes."""

    #: the attributes of the graph that change, and where an entry stores their old and new values
    _changes: tuple[tuple[str, int, int], ...] = (("device_now", 0, 1), ("device_stack", 2, 3))

    def __init__(self, graph: Graph, device: Any) -> None:
        super().__init__(device)
        self._graph = graph

    def _prepare(self) -> Any:
        old, stack, device = self._around, self._graph.device_stack, self._name
        if device is None:
            return old, "", stack, ()
        if callable(device):
            return old, old, stack, (*(stack or filter(None, (old,))), device)
        return old, merged(old, device), stack, (*stack, device) if stack else ()

    @property
    def _is_default(self) -> bool:
        """Whether new nodes go to this graph, so that the thread is in its device scopes."""
        return self._graph.building_function or state.graph is self._graph

    @property
    def _around(self) -> str:
        """The scope around this one."""
        return state.device if self._is_default else self._graph.device_now

    def _apply(self, entry: Any) -> None:
        if self._is_default:
            super()._apply(entry)
        for attribute, _, new in self._changes:
            setattr(self._graph, attribute, entry[new])

    def _undo(self, entry: Any, late: bool) -> None:
        if self._is_default:
            super()._undo(entry, late)
        elif not late and self._graph.device_now != entry[1]:
            raise RuntimeError(NOT_NESTED)
        for attribute, old, new in self._changes:
            if not late or getattr(self._graph, attribute) is entry[new]:
                setattr(self._graph, attribute, entry[old])


def device_by_functions(node: Node, stack: tuple[Any, ...]) -> str:
    """The device of a new node by the surrounding scopes, from the innermost to the outermost."""
    node.device = ""
    for scope in reversed(stack):
        if callable(scope):
            chosen = scope(node)
            node.device = chosen.to_string() if hasattr(chosen, "to_string") else chosen or ""
        else:
            node.device = merged(scope, node.device)
    return node.device


def device_in_scopes(graph: Graph, node: Any) -> str:
    """The device that the scopes which are open give a node of the thread's graph; "" if they give it none."""
    return device_by_functions(node, graph.device_stack) if graph.device_stack else state.device
