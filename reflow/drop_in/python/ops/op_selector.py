"""`tensorflow.python.ops.op_selector`: operations of a graph by how they are connected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reflow.core.tensor import TensorBase as Tensor
from reflow.graph.graph import Graph
from reflow.graph.node import Node
from reflow.ops import registry, reverse
from reflow.tracking.trackable import ObjectIdentitySet


class UnliftableError(Exception):
    """A tensor cannot be computed from the given sources alone."""

    ag_pass_through = True


def is_differentiable(op: Node) -> bool:
    """Whether gradients flow through an operation."""
    return op.record.differentiable or op.type in reverse.GRADIENTS


def is_iterable(obj: Any) -> bool:
    """Whether something is a collection; tensors are none."""
    try:
        return not isinstance(obj, Tensor) and iter(obj) is not None
    except TypeError:
        return False


def concatenate_unique(la: list, lb: Iterable[Any]) -> list:
    """The list `la`, to which those of `lb` are added that it has not."""
    seen = set(la)
    for item in lb:
        if item not in seen:
            la.append(item)
            seen.add(item)
    return la


def get_tensors(graph: Graph) -> list:
    """All tensors of a graph."""
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Graph | None:
    """The one graph of operations and tensors.

    Raises:
        TypeError: something is of no type of `check_types`, which are those two if it is None.
        ValueError: there are several graphs, or nothing is given.
    """
    if isinstance(tops, Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    kinds = (
        (Node, Tensor) if check_types is None else tuple(check_types) if is_iterable(check_types) else (check_types,)
    )
    graph = None
    for item in tops:
        if not isinstance(item, kinds):
            raise TypeError(f"Expected a type in ({', '.join(map(str, kinds))}), got: {type(item)}")
        if graph is None:
            graph = item.graph
        elif graph is not item.graph:
            raise ValueError(f"Operation {item} does not belong to given graph")
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def check_graphs(*args: Any) -> None:
    """ValueError if things with an attribute `graph` have different ones."""
    graph = None
    for i, item in enumerate(args):
        graph = item.graph if graph is None else graph
        if item.graph is not None and item.graph is not graph:
            raise ValueError(f"args[{i}] does not belong to the same graph as other arguments.")


def _listed(
    items: Any, everything: Callable[[Graph], list], kind: type, check_graph: bool, allow_graph: bool,
    ignore_others: bool,
) -> list:
    if isinstance(items, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return everything(items)
    items = list(items) if is_iterable(items) else [items]
    if items and check_graph:
        get_unique_graph(items, None if ignore_others else kind)
    return [item for item in items if isinstance(item, kind)]


def make_list_of_t(ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False) -> list:
    """Tensors as a list: one, some, or all of a graph. With `ignore_ops` operations among them are left out."""
    return _listed(ts, get_tensors, Tensor, check_graph, allow_graph, ignore_ops)


def make_list_of_op(tops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False) -> list:
    """Operations as a list: one, some, or all of a graph. With `ignore_ts` tensors among them are left out."""
    return _listed(tops, Graph.get_operations, Node, check_graph, allow_graph, ignore_ts)


def get_generating_ops(ts: Any) -> list:
    """The operations that make tensors."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> list:
    """The operations that use tensors, each once."""
    found: list = []
    for tensor in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(found, tensor.consumers())
    return found


def get_backward_walk_ops(
    seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Callable[[Node], bool] | None = None,
    stop_at_ts: Any = (), control_inputs: bool = False, only_differentiable: bool = False,
) -> list:  # fmt: skip
    """Operations on the way back from some, in the order in which they are found.

    Args:
        seed_ops: operations, or tensors, from which the walk starts; part of the result if `inclusive`.
        within_ops: operations that the walk does not leave; `within_ops_fn` says the same by a function.
        stop_at_ts: tensors behind which it does not go.
        control_inputs: whether it follows control inputs too.
        only_differentiable: whether it follows only what gradients flow through.
    """
    seeds = list(seed_ops) if is_iterable(seed_ops) else [seed_ops]
    if seeds and isinstance(seeds[0], Tensor):
        seeds = get_generating_ops(seeds)
    seeds = concatenate_unique([], make_list_of_op(seeds, allow_graph=False))
    allowed = set(make_list_of_op(within_ops, allow_graph=False)) if within_ops else None
    stops = ObjectIdentitySet(make_list_of_t(stop_at_ts))

    def sources(op: Node) -> list:
        followed = (
            [] if only_differentiable and not is_differentiable(op) else [t.op for t in op.inputs if t not in stops]
        )
        return followed + (list(op.control_inputs) if control_inputs and not only_differentiable else [])

    seeds = [op for op in seeds if allowed is None or op in allowed]
    found, wave = list(seeds), seeds
    while wave:
        ahead = concatenate_unique([], [source for op in wave for source in sources(op)])
        wave = [
            op for op in ahead
            if op not in found and (allowed is None or op in allowed) and (within_ops_fn is None or within_ops_fn(op))
        ]  # fmt: skip
        found += wave
    return found if inclusive else [op for op in found if op not in seeds]


def graph_inputs(op: Node) -> list:
    """The operations before one, also those that it only waits for."""
    return [tensor.op for tensor in op.inputs] + list(op.control_inputs)


def _operation(item: Any) -> Node:
    return item if isinstance(item, Node) else item.op


def show_path(from_op: Any, tensors: Any, sources: Iterable[Any]) -> str:
    """A path from an operation to one of some tensors, as text; "??" if there is none that avoids the sources."""
    start = _operation(from_op)
    ends = [_operation(tensor) for tensor in (tensors if isinstance(tensors, list) else [tensors])]
    seen = {tensor.op for tensor in sources}
    used_by: dict[Node, Node] = {}
    pending = list(ends)
    while pending:
        op = pending.pop()
        if op in seen:
            continue
        seen.add(op)
        if op is start:
            path = [op]
            while path[-1] not in ends:
                path.append(used_by[path[-1]])
            return " <- ".join(f"{step.name} ({step.type})" for step in reversed(path))
        for source in graph_inputs(op):
            if source not in seen:
                used_by[source] = op
                pending.append(source)
    return "??"


def map_subgraph(
    init_tensor: Any, sources: Any, disallowed_placeholders: Any, visited_ops: set, op_outputs: Any, add_sources: bool
) -> ObjectIdentitySet:
    """Walk back from a tensor and note in `op_outputs` by which operations each one is used.

    Args:
        sources: tensors, or operations, behind which the walk does not go.
        disallowed_placeholders: operations that must not be met; all placeholders if None, unless `add_sources`.
        visited_ops: operations that were seen before; the walk adds its own.

    Returns:
        The outputs of the placeholders that it met.

    Raises:
        UnliftableError: the tensor needs a placeholder that must not be met.
    """
    pending, extra = [_operation(init_tensor)], ObjectIdentitySet()
    while pending:
        op = pending.pop()
        if op in visited_ops:
            continue
        visited_ops.add(op)
        refused = disallowed_placeholders is not None and op in disallowed_placeholders
        if not refused and op.record is registry.get("Placeholder"):
            refused = disallowed_placeholders is None and not add_sources
            extra.update(op.outputs)
        if refused:
            raise UnliftableError(
                f"Unable to lift tensor {init_tensor!r} because it depends transitively on placeholder {op!r} via at "
                f"least one path, e.g.: {show_path(op, init_tensor, sources)}"
            )
        for source in graph_inputs(op):
            op_outputs[source].add(op)
            if source not in visited_ops and source not in (sources or extra):
                pending.append(source)
    return extra
