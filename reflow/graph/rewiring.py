"""Modifies existing nodes: attributes, inputs, control inputs. TensorFlow has these as private methods of an operation.

Nodes are kept in a runnable order. A new edge from a later node to an earlier one sorts them again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reflow.core import errors
from reflow.core.types import Proto
from reflow.graph.proto_values import decode_attr
from reflow.ops.from_python import short_name
from reflow.ops.kernels.control.dataflow import merge, next_iteration

if TYPE_CHECKING:
    from reflow.graph.graph import Graph
    from reflow.graph.node import Node
    from reflow.graph.symbolic import SymbolicTensor

_KINDS = {"s": "string", "i": "int", "f": "float", "b": "bool"}


def set_attr(node: Node, name: str, value: Proto) -> None:
    """Set an attribute from an AttrValue proto."""
    held = value.WhichOneof("value")
    declared = node.record.definition.attrs.get(name)
    if declared is not None:
        kind = declared.type
    elif held == "list":
        field = next((f.name for f, _ in value.list.ListFields()), "s")
        kind = f"list({_KINDS.get(field, field)})"
    else:
        kind = _KINDS.get(held, held)
    node.rewrite(
        attrs={**node.attrs, name: decode_attr(kind, value, lambda function: node.graph._functions[function].graph)}
    )


def update_input(node: Node, index: int, tensor: SymbolicTensor) -> None:
    """Make a node read another tensor."""
    if tensor._graph is not node.graph:
        raise ValueError(f"{tensor!r} must be from the same graph as {node!r}.")
    if index >= len(node.inputs):
        raise errors.OutOfRangeError(
            None, None,
            f"Cannot update edge. Input index [{index}] is greater than the number of total "
            f"inputs [{len(node.inputs)}].",
        )
    old = node.inputs[index]
    if not old.shape.is_compatible_with(tensor.shape):
        shapes = " and ".join(str(t.shape.as_list()).replace(" ", "") for t in (tensor, old))
        raise errors.InvalidArgumentError(None, None, f"Cannot update edge, incompatible shapes: {shapes}.")
    node.graph.invalid.pop(node, None)
    if old._dtype is not tensor._dtype:
        node.graph.invalid[node] = (
            f"Input {index} of node {node.name} was passed {short_name(tensor._dtype)} from {tensor.name} incompatible "
            f"with expected {short_name(old._dtype)}."
        )
    node.rewrite(inputs=(*node.inputs[:index], tensor, *node.inputs[index + 1 :]))
    _sort(node.graph)


def add_control_inputs(node: Node, others: Iterable[Node]) -> None:
    """Make a node wait for others."""
    node.rewrite(waits=dict.fromkeys((*node.waits, *others)))
    _sort(node.graph)


def _sort(graph: Graph) -> None:
    """Sort the nodes topologically, changing the order as little as possible. A cycle stays where it is."""
    place = {node: i for i, node in enumerate(graph.nodes)}
    if all(place[other] < place[node] for node in graph.nodes for other in _needed(node)):
        return
    graph.name_nodes()  # in creation order
    done: dict[Node, None] = {}
    for start in graph.nodes:
        stack = [start]
        entered: set[Node] = set()
        while stack:
            node = stack[-1]
            left = [] if node in entered else [n for n in _needed(node) if n not in done and n not in entered]
            entered.add(node)
            if left:
                stack += reversed(left)
            else:
                done.setdefault(stack.pop())
    graph.reorder(done)
    order = {node: i for i, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        if any(order[other] >= order[node] for other in _needed(node)):
            cycle = [other for other in graph.nodes if other in _behind(node) and node in _behind(other)]
            names = ", ".join(other.name for other in cycle)
            graph.invalid.update(
                dict.fromkeys(cycle, f"Graph is invalid, contains a cycle with {len(cycle)} nodes, including: {names}")
            )


def _behind(node: Node) -> set[Node]:
    """All nodes that must run before one; includes the node itself if there is a cycle."""
    found: set[Node] = set()
    pending = list(_needed(node))
    while pending:
        other = pending.pop()
        if other not in found:
            found.add(other)
            pending.extend(_needed(other))
    return found


def _needed(node: Node) -> Iterable[Node]:
    """What must run before a node. The next iteration of a loop comes after what it goes back to."""
    if node.record is merge:
        return (*(t.op for t in node.inputs if t.op.record is not next_iteration), *node.waits)
    return (*(t.op for t in node.inputs), *node.waits)
