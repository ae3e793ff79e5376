"""`tensorflow.python.framework.byte_swap_tensor`: constants of graphs in the order of bytes of another machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.core import dtypes

_NAMES = (
    "float16 float32 float64 bfloat16 complex64 complex128 uint16 uint32 uint64 int16 int32 int64 qint16 quint16 qint32"
)
byte_swappable = [getattr(dtypes, name) for name in _NAMES.split()]


def byte_swap_tensor_content(tensor: Any, from_endiness: str, to_endiness: str) -> None:
    """Turn the bytes of each number of a TensorProto around, if the two orders differ ("big", "little")."""
    if tensor.dtype not in byte_swappable or not tensor.tensor_content or from_endiness == to_endiness:
        return
    count = int(np.prod([dim.size for dim in tensor.tensor_shape.dim if dim.size]))
    rows = np.frombuffer(tensor.tensor_content, np.uint8).reshape(count, -1)
    tensor.tensor_content = rows[:, ::-1].tobytes()


def _swap(nodes: Any, from_endiness: str, to_endiness: str) -> None:
    for node in nodes:
        if node.attr["value"].HasField("tensor"):  # a constant
            byte_swap_tensor_content(node.attr["value"].tensor, from_endiness, to_endiness)


def swap_tensor_content_in_graph_function(graph_def: Any, from_endiness: str, to_endiness: str) -> None:
    """Turn around the bytes of the constants in the functions of a GraphDef or a MetaGraphDef."""
    graph = getattr(graph_def, "graph_def", graph_def)
    for function in graph.library.function:
        _swap(function.node_def, from_endiness, to_endiness)


def swap_tensor_content_in_graph_node(graph_def: Any, from_endiness: str, to_endiness: str) -> None:
    """Turn around the bytes of the constants among the nodes of a GraphDef."""
    _swap(graph_def.node, from_endiness, to_endiness)
