"""`tf.graph_util` and `tf.import_graph_def`."""

from __future__ import annotations

from google.protobuf.message import DecodeError, Message
from tensorboard.compat.proto import graph_pb2

from reflow.api.export import export, export_value
from reflow.core.context import state
from reflow.graph.graph import Graph
from reflow.graph.import_ import import_graph
from reflow.graph.proto_values import decode_tensor, encode_tensor
from reflow.ops.convert import constant, convert_to_tensor

export_value(graph_pb2.GraphDef, "compat.v1.GraphDef")


@export("graph_util.import_graph_def", "import_graph_def")
def import_graph_def(
    graph_def,
    input_map=None,
    return_elements=None,
    name=None,
    op_dict=None,
    producer_op_list=None,
    *,
    experimental_allow_unsafe_ops=False,
):
    """Add the nodes of a GraphDef to the graph under construction (or to a new one).

    `input_map` gives tensors for inputs by name, `return_elements` names tensors (`"a:0"`) or operations (`"a"`) to return,
    `name` is a prefix for all names, "import" by default. Ops that touch files, the network or Python are refused unless
    `experimental_allow_unsafe_ops` is set.

    >>> import reflow as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.constant(2.0, name="x")
    ...     tf.import_graph_def(g.as_graph_def(), return_elements=["x:0"])
    [<tf.Tensor 'import/x:0' shape=() dtype=float32>]
    """
    if op_dict is not None:
        raise ValueError("The argument `op_dict` of import_graph_def is deprecated and cannot be given.")
    proto = _graph_def(graph_def)
    if input_map is not None and not isinstance(input_map, dict):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}")
    if return_elements is not None:
        return_elements = tuple(return_elements)
        if not all(isinstance(e, str) for e in return_elements):
            raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {list(return_elements)}.")
    mapped = dict(input_map or {})
    names = {node.name for node in proto.node}
    used = {r for node in proto.node for r in node.input}
    lost = [k for k in mapped if k.split(":")[0].removeprefix("^") not in names | {r.split(":")[0] for r in used}]
    if lost:
        raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(map(str, lost))}]")
    graph = state.graph if state.graph is not None else Graph("imported")
    prefix = _prefix(graph, name)
    with graph.as_default():
        mapped = {k: convert_to_tensor(v) for k, v in mapped.items()}
    reader = import_graph(proto, graph, mapped, prefix, experimental_allow_unsafe_ops)
    if return_elements is None:
        return None
    return [_element(reader, e) for e in return_elements]


def _graph_def(graph_def):
    if isinstance(graph_def, graph_pb2.GraphDef):
        return graph_def
    if isinstance(graph_def, Message):  # another library's class for the same message
        try:
            return graph_pb2.GraphDef.FromString(graph_def.SerializeToString())
        except DecodeError:
            pass
    raise TypeError("Argument `graph_def` must be a GraphDef proto.")


def _prefix(graph, name) -> str:
    if name == "":
        return graph.current_scope
    name = "import" if name is None else name
    return name if name.endswith("/") else graph.unique_name(graph.current_scope + name) + "/"


def _element(reader, element: str):
    name, _, index = element.partition(":")
    node = reader.nodes.get(name)
    if node is None:
        kind = "tensor" if index else "node"
        raise ValueError(f"Requested return {kind} '{element}' not found in graph def")
    if not index:
        return node
    if not index.isdigit() or int(index) >= len(node.outputs):
        raise ValueError(f"Invalid return output {index} of node '{name}', which has {len(node.outputs)} output(s)")
    return reader.tensor(element)


@export("make_tensor_proto")
def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """Values as a TensorProto.

    >>> make_ndarray(make_tensor_proto([1, 2]))
    array([1, 2], dtype=int32)
    """
    if verify_shape and allow_broadcast:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if verify_shape and shape is not None and constant(values, dtype).shape != shape:
        raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {tuple(constant(values, dtype).shape)}.")
    tensor = constant(values, dtype, shape)
    return encode_tensor(tensor._host(), tensor.dtype)


@export("make_ndarray")
def make_ndarray(tensor):
    """The array that a TensorProto holds."""
    return decode_tensor(tensor)
