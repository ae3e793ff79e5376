"""Checks of SavedModels, because files are not trusted.

Before objects are created: that they refer to existing objects, and that tuples, which are built from their elements,
do not contain each other. Before loading itself calls a function, to create and fill tables: that the function
terminates. Other functions of the file run only when the user calls them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from reflow.core import dtypes, errors
from reflow.graph.func_graph import FuncGraph
from reflow.graph.node import Node
from reflow.graph.ordering import in_order

Proto = Any
TUPLE = "trackable_tuple_wrapper"
MOST_ELEMENTS = 1 << 24  # a file of few bytes could request any number


def check_references(object_graph: Proto) -> None:
    """Refuse objects and functions that refer to objects that do not exist."""
    count = len(object_graph.nodes)
    for i, proto in enumerate(object_graph.nodes):
        slots = [s.slot_variable_node_id for s in proto.slot_variables]
        for other in [c.node_id for c in proto.children] + slots:
            if not 0 <= other < count:
                raise ValueError(f"object {i} refers to object {other} of {count}")
    for name, function in object_graph.concrete_functions.items():
        for other in function.bound_inputs:
            if not 0 <= other < count:
                raise ValueError(f"'{name}' refers to object {other} of {count}")


def is_tuple(proto: Proto) -> bool:
    return proto.WhichOneof("kind") == "user_object" and proto.user_object.identifier == TUPLE


def elements(proto: Proto) -> list[int | None]:
    """The ids of a list's or tuple's elements, in their order.

    None where an element was no object, which is not in the file.
    """
    numbered = {int(c.local_name): c.node_id for c in proto.children if c.local_name.isdecimal()}
    length = max(numbered, default=-1) + 1
    if length > MOST_ELEMENTS:
        raise ValueError(f"a list has {length} elements")
    return [numbered.get(i) for i in range(length)]


def tuples_inside_out(protos: Any) -> list[int]:
    """The ids of all tuples, each after those that it contains; a tuple cannot contain itself."""
    tuples = [i for i, proto in enumerate(protos) if is_tuple(proto)]
    known = set(tuples)
    order = in_order({i: [j for j in elements(protos[i]) if j is not None and j in known] for i in tuples})
    if len(order) < len(tuples):
        stuck = sorted(known - set(order))
        raise ValueError(f"tuples hold themselves or each other (objects {', '.join(map(str, stuck[:10]))})")
    return order


# --- functions that loading calls -------------------------------------------------------------------------------------


def check_ends(graph: FuncGraph, allowed: Container[str]) -> None:
    """Reject a function that may not terminate: one with ops that run a function many times, or that read datasets (not
    one that makes them).

    Calls and branches run functions once, and a function of a file does not call itself.
    """
    found = sorted({node.type for node in _nodes_below(graph) if _repeats(node) and node.type not in allowed})
    if found:
        raise errors.PermissionDeniedError(
            None, None,
            f"Loading the model would run its function '{graph.name}', which uses ops that may never end: {found}. "
            "They are refused there unless you allow them: "
            f"tf.saved_model.LoadOptions(experimental_allow_unsafe_ops={found}).",
        )


def _repeats(node: Node) -> bool:
    if node.record.identity or _makes_dataset(node):
        return False
    attrs = node.record.definition.attrs.values()
    if any(attr.type in ("func", "list(func)") for attr in attrs):
        return node.record.flow not in ("call", "branch")
    return any(t._dtype is dtypes.variant for t in node.inputs)


def _makes_dataset(node: Node) -> bool:
    """TensorFlow calls the output of all these ops `handle`."""
    return (
        [arg.name for arg in node.record.definition.outputs] == ["handle"] and node.outputs[0]._dtype is dtypes.variant
    )


def _nodes_below(graph: FuncGraph) -> Iterator[Node]:
    """The nodes of a graph and of all graphs that they run. A dataset's functions run when it is read."""
    seen, pending = {id(graph)}, [graph]
    while pending:
        for node in pending.pop().nodes:
            yield node
            if _makes_dataset(node):
                continue
            for value in node.attrs.values():
                for inner in value if isinstance(value, (list, tuple)) else (value,):
                    if isinstance(inner, FuncGraph) and id(inner) not in seen:
                        seen.add(id(inner))
                        pending.append(inner)
