"""`colocate_with`: nodes placed on the device of another node.

A node in such a block gets the other node's device, whatever the surrounding scopes say, and names it in its attribute
`_class`, so that files preserve the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reflow.graph.device_scopes import GraphDeviceScope

if TYPE_CHECKING:
    from reflow.graph.graph import Graph
    from reflow.graph.node import Node


class ColocationScope(GraphDeviceScope):
    """A `with` block whose nodes are placed with another node of the graph.

    None, with `ignore_existing`, cancels the surrounding blocks and their devices.
    """

    _changes = (*GraphDeviceScope._changes, ("colocated", 4, 5))

    def __init__(self, graph: Graph, op: Any, ignore_existing: bool = False) -> None:
        super().__init__(graph, None)
        if op is None and not ignore_existing:
            raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
        self._node: Node | None = (
            None if op is None else graph.as_graph_element(getattr(op, "op", op), allow_tensor=False)
        )
        self._ignore_existing = ignore_existing

    def _prepare(self) -> Any:
        old = self._graph.colocated
        kept = () if self._ignore_existing else old
        new = kept if self._node is None else (*kept, self._node)
        around = self._around
        device = "" if self._node is None else self._node.device
        return around, device, self._graph.device_stack, (), old, new


def place_beside(node: Node, others: tuple[Node, ...]) -> None:
    """Place a new node with others: the innermost one that has a device decides."""
    groups = sorted({group.decode() for other in others for group in other.colocation_groups()})
    node.rewrite(attrs={**node.attrs, "_class": groups})
    node.device = next((other.device for other in reversed(others) if other.device), node.device)
