"""Finds tensors and operations of a graph by name or object, with TensorFlow's errors for missing ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from reflow.graph.node import Node
from reflow.graph.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from reflow.graph.graph import Graph


def element(graph: Graph, obj: Any, allow_tensor: bool, allow_operation: bool) -> Any:
    """The tensor or operation that `obj` stands for: itself, `"node:0"` or `"node"`."""
    if not allow_tensor and not allow_operation:
        raise ValueError("allow_tensor and allow_operation can't both be False.")
    wanted = "Tensor or Operation" if allow_tensor and allow_operation else "Tensor" if allow_tensor else "Operation"
    obj = obj._as_graph_element() if hasattr(obj, "_as_graph_element") else obj
    if isinstance(obj, str):
        if ":" in obj and allow_tensor:
            return _tensor(graph, obj)
        if ":" not in obj and allow_operation:
            return _operation(graph, obj)
        _refuse(graph, obj, wanted)
    if isinstance(obj, SymbolicTensor) and allow_tensor:
        if obj._graph is not graph:
            raise ValueError(f"Tensor {obj} is not an element of this graph.")
        return obj
    if isinstance(obj, Node) and allow_operation:
        if obj.graph is not graph:
            raise ValueError(f"Operation {obj} is not an element of this graph.")
        return obj
    raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")


def _index(graph: Graph) -> dict:
    """Nodes by name."""
    graph.name_nodes()
    return {n._name: n for n in graph.nodes}


def _tensor(graph: Graph, name: str) -> SymbolicTensor:
    node_name, _, number = name.partition(":")
    if not number.isdigit():
        raise ValueError(
            f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor names must be of the form "
            '"<op_name>:<output_index>".'
        )
    node = _index(graph).get(node_name)
    if node is None:
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. The operation, {node_name!r}, "
            "does not exist in the graph."
        )
    if int(number) >= len(node.outputs):
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. The operation, {node_name!r}, exists but only "
            f"has {len(node.outputs)} outputs."
        )
    return node.outputs[int(number)]


def _operation(graph: Graph, name: str) -> Node:
    node = _index(graph).get(name)
    if node is None:
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
    return node


def _refuse(graph: Graph, name: str, wanted: str) -> NoReturn:
    if ":" in name:
        raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {wanted}.")
    if name in _index(graph):
        raise ValueError(
            f"The name {name!r} refers to an Operation, not a {wanted}. Tensor names must be of the form "
            '"<op_name>:<output_index>".'
        )
    raise ValueError(
        f"The name {name!r} looks like an (invalid) Operation name, not a {wanted}. Tensor names must be of the form "
        '"<op_name>:<output_index>".'
    )
