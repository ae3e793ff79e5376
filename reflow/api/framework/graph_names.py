"""`tf.graph_util` and `tf.import_graph_def`.

Protobuf is imported when the first graph is read or written: it takes 40 ms, and most programs never need it.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state, swapped
from reflow.core.tensor import Tensor
from reflow.graph.graph import Graph
from reflow.graph.names import check_name
from reflow.ops.convert import constant, convert_to_tensor


@export("graph_util.import_graph_def", "import_graph_def")
def import_graph_def(
    graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None, *,
    experimental_allow_unsafe_ops=False,
):
    """Adds the nodes of a GraphDef to the graph under construction (or to a new one).

    Args:
      graph_def: A GraphDef proto.
      input_map: A dictionary from names of tensors in `graph_def` to tensors that take their place.
      return_elements: Names of tensors (`"a:0"`) or operations (`"a"`) to return.
      name: A prefix for all names, "import" by default; "" for none.
      op_dict: Must be None.
      producer_op_list: Ignored.
      experimental_allow_unsafe_ops: True, or a list of names, to allow ops that touch files, the network or Python;
        others are refused.

    Returns:
      The tensors and operations of `return_elements`, as a list, or None.

    Raises:
      TypeError: `graph_def` is not a GraphDef, or an argument is of another type.
      ValueError: A name is not in the graph, or `op_dict` is given.

    >>> with tf.Graph().as_default() as g:
    ...     x = tf.constant(2.0, name="x")
    ...     tf.import_graph_def(g.as_graph_def(), return_elements=["x:0"])
    [<tf.Tensor 'import/x:0' shape=() dtype=float32>]
    """
    if op_dict is not None:
        raise ValueError("The argument `op_dict` of import_graph_def is deprecated and cannot be given.")
    proto = _graph_def(graph_def)
    if return_elements is not None:
        return_elements = tuple(return_elements)
        if not all(isinstance(e, str) for e in return_elements):
            raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {list(return_elements)}.")
    graph = state.graph if state.graph is not None else Graph("imported")
    return add_graph_def(graph, proto, input_map, _prefix(graph, name), experimental_allow_unsafe_ops, return_elements)


def add_graph_def(graph, proto, input_map, prefix, allowed, return_elements=None, assets=None):
    """Add the nodes of a GraphDef to a graph; returns the requested elements.

    `assets` is a folder of files that it may read.
    """
    from reflow.graph.import_ import import_graph

    if input_map is not None and not isinstance(input_map, dict):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}")
    names = {node.name for node in proto.node} | {r.split(":")[0] for node in proto.node for r in node.input}
    _refuse_lost([k for k in input_map or () if k.split(":")[0].removeprefix("^") not in names])
    size = len(graph.nodes)
    try:
        with graph.as_default():
            mapped = {k: convert_to_tensor(v) for k, v in (input_map or {}).items()}
        reader = import_graph(proto, graph, mapped, prefix, allowed, assets)
        _refuse_lost([k for k in mapped if _is_beyond(reader, k)])
        return None if return_elements is None else [_element(reader, e) for e in return_elements]
    except Exception:
        graph.drop_nodes(size)  # an invalid graph leaves nothing behind
        raise


def _refuse_lost(keys):
    if keys:
        full = [k if ":" in k or k.startswith("^") else f"{k}:0" for k in keys]
        raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(full)}]")


def _is_beyond(reader, key: str) -> bool:
    """Whether a key of the input map names an output that its node does not have."""
    name, _, index = key.partition(":")
    return name in reader.nodes and index.isdigit() and int(index) >= len(reader.nodes[name].outputs)


def _graph_def(graph_def):
    from google.protobuf.message import DecodeError, Message
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    if isinstance(graph_def, GraphDef):
        return graph_def
    if isinstance(graph_def, Message):  # another library's class for the same message
        try:
            return GraphDef.FromString(graph_def.SerializeToString())
        except DecodeError:
            pass
    raise TypeError("Argument `graph_def` must be a GraphDef proto.")


def _prefix(graph, name) -> str:
    if name == "":
        return graph.current_scope
    name = "import" if name is None else name
    check_name(name, not graph.current_scope)
    return name if name.endswith("/") else graph.unique_name(name) + "/"


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


@export("io.write_graph", "compat.v1.train.write_graph")
def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph, or its proto, into a file of a folder, which is made if need be.

    Args:
      graph_or_graph_def: A `tf.Graph` or a GraphDef.
      logdir: The folder.
      name: The name of the file.
      as_text: Whether to write protobuf's text; else its binary form.

    Returns:
      The path of the file.

    >>> import tempfile
    >>> path = write_graph(Graph(), tempfile.mkdtemp(), "graph.pb", as_text=False)
    >>> path.endswith("graph.pb")
    True
    """
    from google.protobuf import text_format

    is_graph = isinstance(graph_or_graph_def, Graph)
    proto = graph_or_graph_def.as_graph_def() if is_graph else graph_or_graph_def
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, name)
    text = text_format.MessageToString(proto).encode() if as_text else proto.SerializeToString(deterministic=True)
    with open(f"{path}.tmp", "wb") as file:
        file.write(text)
    os.replace(f"{path}.tmp", path)  # readers never see a partial file
    return path


@export("make_tensor_proto")
def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """Makes a TensorProto of values.

    Args:
      values: A Python value, a NumPy array or a TensorProto, which is returned as it is.
      dtype: The dtype of the elements; by default that of the values.
      shape: The shape of the tensor; the last of too few values stands for the missing ones.
      verify_shape: Whether the values must have the shape exactly.
      allow_broadcast: Whether the values must fill the shape, or be a single one.

    Returns:
      A TensorProto.

    Raises:
      TypeError: The values do not have the shape that the options ask for.
      ValueError: There are more values than the shape has, or both options are set.

    >>> make_ndarray(make_tensor_proto([1, 2]))
    array([1, 2], dtype=int32)
    """
    from reflow.graph.proto_values import encode_tensor

    if verify_shape and allow_broadcast:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, _proto_class()):
        return values
    with swapped(graph=None):
        tensor = constant(values if dtype is None else _unpacked(values, dtypes.as_dtype(dtype)), dtype)
    array, given = tensor._host(), None if shape is None else tuple(map(int, shape))
    if given is not None:
        _check_shape(array, given, verify_shape, allow_broadcast)
    return encode_tensor(array, tensor.dtype, given)


def _unpacked(values: Any, dtype: dtypes.DType) -> Any:
    """The integers of quantized values, which are tuples of one, as in NumPy's structured arrays; other values as they
    are.

    Raises:
      TypeError: quantized values are plain integers.
    """
    if not dtype.is_quantized or isinstance(values, Tensor):
        return values
    if isinstance(values, np.ndarray):
        return values[values.dtype.names[0]] if values.dtype.names else values
    if isinstance(values, tuple) and len(values) == 1 and isinstance(values[0], int):
        return values[0]
    if isinstance(values, (list, tuple)):
        return [_unpacked(value, dtype) for value in values]
    raise TypeError(f"Expected {dtype.name}, but got {values} of type '{type(values).__name__}'.")


def _proto_class():
    from tensorboard.compat.proto.tensor_pb2 import TensorProto

    return TensorProto


def _check_shape(array: np.ndarray, shape: tuple[int, ...], verify: bool, broadcast: bool) -> None:
    """Reject a shape that does not fit a TensorProto; the last of too few values stands for the missing ones."""
    size = math.prod(shape)
    if verify and array.shape != shape or broadcast and array.size not in (1, size):
        raise TypeError(f"Expected Tensor's shape: {shape}, but got {array.shape}.")
    if array.size > size:
        raise ValueError(f"Too many elements provided. Takes at most {size}, but got {array.size}.")


@export("make_ndarray")
def make_ndarray(tensor):
    """Returns the array that a TensorProto holds.

    Args:
      tensor: A TensorProto.

    Returns:
      A new NumPy array.

    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2])).tolist()
    [1, 2]
    """
    from reflow.graph.proto_values import decode_tensor

    array, dtype = np.array(decode_tensor(tensor)), dtypes.as_dtype(tensor.dtype)  # the caller may write into it
    return array.view(dtype.as_numpy_dtype) if dtype.is_quantized else array
