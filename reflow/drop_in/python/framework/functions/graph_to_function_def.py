"""`tensorflow.python.framework.graph_to_function_def`: operations of a graph as a FunctionDef."""

import re

from tensorboard.compat.proto.function_pb2 import FunctionDef

from reflow.graph import inference
from reflow.graph.export import output_places


def _make_argname_from_tensor_name(name):
    """`x` for `x:0`, `x_o1` for `x:1`."""
    return re.sub(":0$", "", name).replace(":", "_o")


def _unique(name, used):
    """The name, or one with a number behind it if it is used already."""
    candidate, number = name, 0
    while candidate in used:
        candidate, number = f"{name}_U{number}", number + 1
    used.add(candidate)
    return candidate


def graph_to_function_def(graph, operations, inputs, outputs, out_names=None):
    """The function from `inputs`, placeholders of the graph, to `outputs` that these operations compute.

    Raises:
      ValueError: `out_names` is given, and there are not as many as outputs.
    """
    if out_names and len(out_names) != len(outputs):
        raise ValueError(
            f"out_names must be either empty or equal in size to outputs. len(out_names) = {len(out_names)} "
            f"len(outputs) = {len(outputs)}"
        )
    made = FunctionDef()
    made.signature.name = "_"
    references = {tensor.name: _make_argname_from_tensor_name(tensor.name) for tensor in inputs}
    for tensor in inputs:
        made.signature.input_arg.add(name=references[tensor.name], type=tensor.dtype.as_datatype_enum)
    body = [op for op in operations if op not in {tensor.op for tensor in inputs}]
    for op in body:
        for tensor, (name, index) in zip(op.outputs, output_places(op.record, inference.full_attrs(op)), strict=True):
            references[tensor.name] = f"{op.name}:{name}:{index}"
    kept, protos = {op.name for op in body}, {node.name: node for node in graph.as_graph_def().node}
    for op in body:
        node = made.node_def.add()
        node.CopyFrom(protos[op.name])
        del node.input[:]
        node.input.extend(references[tensor.name] for tensor in op.inputs)
        node.input.extend(f"^{other.name}" for other in op.control_inputs if other.name in kept)
    used: set = set()
    for i, tensor in enumerate(outputs):
        name = out_names[i] if out_names else _unique(_make_argname_from_tensor_name(tensor.name), used)
        made.signature.output_arg.add(name=name, type=tensor.dtype.as_datatype_enum)
        made.ret[name] = references[tensor.name]
    return made
