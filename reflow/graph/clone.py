"""Copies of function graphs, for transformations that must leave the traced graph as it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reflow.core.types import Attrs
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Graph, Node
from reflow.ops import random_state


def clone(graph: FuncGraph, name: str | None = None) -> FuncGraph:
    """A copy with its own nodes and tensors; attributes (and graphs in them) are shared."""
    copy = FuncGraph(name or graph.name, graph.parent)
    copy.parent = graph.parent
    copy.put_below(graph.body_scope)
    tensors = copy_nodes(graph.nodes, copy, {})
    copy_facts(graph, copy, tensors)
    copy.version_id = graph.version_id  # the same hidden random state
    return copy


def copy_facts(graph: FuncGraph, copy: FuncGraph, tensors: dict[int, Any]) -> None:
    """Copy the function's other facts; `tensors` maps ids of the original's tensors to those of the copy."""
    copy.inputs = [tensors[t._id] for t in graph.inputs]
    copy.outputs = [tensors[t._id] for t in graph.outputs]
    copy.captured = {k: (outer, tensors[inner._id]) for k, (outer, inner) in graph.captured.items()}
    # a user-defined gradient (`tf.custom_gradient`) holds tensors of the graph in which it was created
    copy.stand_ins = {k: tensors.get(t._id, t) for k, t in graph.stand_ins.items()} | tensors
    copy.variables_used = dict(graph.variables_used)
    copy.structured_outputs = graph.structured_outputs
    copy.structured_input_signature = graph.structured_input_signature
    copy.attributes, copy.jit_compile, copy.own_name = graph.attributes, graph.jit_compile, graph.own_name


def draws(graph: Graph) -> bool:
    """Whether a graph, or one inside its nodes, contains a stateful random op."""
    return any(
        n.record.hidden_counter or n.record.has_functions and any(map(draws, graphs_in(n.attrs))) for n in graph.nodes
    )


def graphs_in(attrs: Attrs) -> list[FuncGraph]:
    """The function graphs among a node's attributes."""
    found = []
    for value in attrs.values():
        if isinstance(value, FuncGraph):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += [g for g in value if isinstance(g, FuncGraph)]
    return found


def with_fresh_random_state(graph: FuncGraph) -> FuncGraph:
    """The same function with new random streams, at their beginning; itself if it contains no random op.

    So are the functions of datasets that it makes: all iterators of those take from the same streams.
    """
    if not draws(graph):
        return graph
    copy = clone(graph)
    copy.has_own_random_state = True
    for node in copy.nodes:
        attrs = dict(node.attrs)
        if node.record.hidden_counter:
            attrs["_counter"] = random_state.node_cell(attrs)
        for key, value in node.attrs.items():
            if isinstance(value, FuncGraph):
                attrs[key] = with_fresh_random_state(value)
            elif isinstance(value, (list, tuple)) and value and isinstance(value[0], FuncGraph):
                attrs[key] = [with_fresh_random_state(g) for g in value]
        node.rewrite(attrs=attrs)
    return copy


def copy_nodes(
    nodes: Iterable[Node], into: Graph, tensors: dict[int, Any], twins: dict[Node, Node] | None = None
) -> dict[int, Any]:
    """Append copies of `nodes` to a graph.

    `tensors` maps ids of their inputs to tensors there, and is extended. So is `twins`: nodes copied before and their
    copies, which the new ones may use as control inputs.
    """
    twins = {} if twins is None else twins
    for node in nodes:
        inputs = tuple([tensors[t._id] for t in node.inputs])
        waits = tuple([twins[n] for n in node.waits if n in twins])
        twin = twins[node] = node.copied(into, inputs, waits)
        into.append(twin)
        for old, new in zip(node.outputs, twin.outputs, strict=True):
            tensors[old._id] = new
    return tensors
