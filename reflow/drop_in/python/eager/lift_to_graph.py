"""`tensorflow.python.eager.lift_to_graph`: what tensors are computed from, copied to another graph."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from typing import Any

from reflow.api.framework.core_names import placeholder
from reflow.compat.functions import placeholder_with_default
from reflow.drop_in.python.ops.op_selector import UnliftableError as UnliftableError
from reflow.drop_in.python.ops.op_selector import graph_inputs, map_subgraph
from reflow.eager.variables import Variable
from reflow.graph.clone import copy_nodes
from reflow.graph.func_graph import FuncGraph
from reflow.ops import registry
from reflow.tracking.trackable import ObjectIdentityDictionary, ObjectIdentitySet


def lift_to_graph(
    tensors: Iterable[Any], graph: Any, sources: Iterable[Any] | None = None, disallowed_placeholders: Any = None,
    add_sources: bool = False, handle_captures: bool = False, base_graph: Any = None, op_map: Any = None,
) -> ObjectIdentityDictionary:
    """Copy tensors, and all that they are computed from, to another graph.

    Args:
        tensors: tensors of one graph; variables stay what they are.
        graph: where the copies are added.
        sources: tensors that become placeholders there, so that nothing before them is copied.
        disallowed_placeholders: operations that must not be met; all placeholders if None, unless `add_sources`.
        add_sources: whether placeholders that are met are sources too.
        handle_captures: whether a source that the old graph has captured is captured again.
        base_graph: the old graph, if the tensors do not tell.
        op_map: tensors and operations copied before, and their copies.

    Returns:
        `op_map`, or a new one, with what was copied now.

    Raises:
        UnliftableError: a tensor needs a placeholder that must not be met.
    """
    tensors = list(tensors)
    variables = [t for t in tensors if isinstance(t, Variable)]
    wanted = [t for t in tensors if not isinstance(t, Variable)]
    op_map = ObjectIdentityDictionary() if op_map is None else op_map
    base_graph = base_graph or wanted[0].graph
    borders = ObjectIdentitySet(sources or [])
    seen = {source.op for source in borders}
    used_by: dict = collections.defaultdict(set)
    for tensor in wanted:
        borders.update(map_subgraph(tensor, borders, disallowed_placeholders, seen, used_by, add_sources))
    captured = ObjectIdentityDictionary()
    if isinstance(base_graph, FuncGraph) and isinstance(graph, FuncGraph):
        captured.update((inner, outer) for outer, inner in base_graph.captures)
    with graph.as_default():
        for variable in variables:
            op_map[variable] = variable
        for source in sorted(borders, key=lambda s: (s not in captured, s._id)):
            _copy_source(source, graph, op_map, captured if handle_captures else ObjectIdentityDictionary())
        needed = _needed(wanted, {source.op for source in borders})
        _copy([node for node in base_graph.get_operations() if node in needed], graph, op_map)
    return op_map


def _needed(tensors: Iterable[Any], borders: set) -> set:
    """The operations behind tensors, up to the borders."""
    found: set = set()
    pending = [tensor.op for tensor in tensors]
    while pending:
        op = pending.pop()
        if op not in found and op not in borders:
            found.add(op)
            pending.extend(graph_inputs(op))
    return found


def _copy_source(source: Any, graph: Any, op_map: Any, captured: Any) -> None:
    """Put a placeholder, or a capture, in place of a source."""
    if source in captured:
        copy = graph.capture(captured[source])
    elif source.op.record is registry.get("PlaceholderWithDefault") and not source.op.inputs[0].op.inputs:
        default = source.op.inputs[0]
        _copy([default.op], graph, op_map)
        copy = placeholder_with_default(op_map[default], source.shape, name=source.op.name)
    else:
        copy = placeholder(source.dtype, source.shape, name=source.op.name)
    op_map[source], op_map[source.op] = copy, copy.op


def _copy(nodes: Iterable[Any], graph: Any, op_map: Any) -> None:
    """Copy operations, in an order in which each one comes after its inputs, unless they were copied before."""
    nodes = [node for node in nodes if node not in op_map]
    tensors = {old._id: new for old, new in op_map.items() if hasattr(old, "_id")}
    twins = {old: new for old, new in op_map.items() if not hasattr(old, "_id")}
    copies = copy_nodes(nodes, graph, tensors, twins)
    for node in nodes:
        op_map[node] = twins[node]
        for output in node.outputs:
            op_map[output] = copies[output._id]
