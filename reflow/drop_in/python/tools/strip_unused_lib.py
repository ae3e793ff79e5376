"""`tensorflow.python.tools.strip_unused_lib`: the part of a GraphDef between some inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from google.protobuf import text_format
from tensorboard.compat.proto.graph_pb2 import GraphDef

from reflow.compat.freeze import extract_sub_graph
from reflow.core.types import Proto
from reflow.ops.kernels.array.shaping import placeholder


def strip_unused(
    input_graph_def: Proto, input_node_names: Sequence[str], output_node_names: Sequence[str],
    placeholder_type_enum: int | Sequence[int],
) -> Proto:
    """What some outputs need, with placeholders instead of the nodes that are its inputs.

    Args:
      input_graph_def: the GraphDef.
      input_node_names: nodes that become placeholders; a shape that they have stays.
      output_node_names: nodes that stay, with all they need.
      placeholder_type_enum: the DataType of all placeholders, or of each.

    Raises:
      KeyError: an input is not in the graph.
      ValueError: an input is the name of a tensor.
    """
    for name in input_node_names:
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not an Operation.")
    types = (
        [placeholder_type_enum] * len(input_node_names) if isinstance(placeholder_type_enum, int)
        else list(placeholder_type_enum)
    )
    left = dict(zip(input_node_names, types, strict=True))
    cut = GraphDef()
    for node in input_graph_def.node:
        if node.name not in left:
            cut.node.add().CopyFrom(node)
            continue
        replaced = cut.node.add(name=node.name, op=placeholder.name)
        replaced.attr["dtype"].type = left.pop(node.name)
        replaced.attr["shape"].shape.unknown_rank = True
        for known in ("shape", "_output_shapes"):
            if known in node.attr:
                replaced.attr[known].CopyFrom(node.attr[known])
    if left:
        raise KeyError(f"The following input nodes were not found: {set(left)}")
    cut.library.CopyFrom(input_graph_def.library)
    cut.versions.CopyFrom(input_graph_def.versions)
    return extract_sub_graph(cut, output_node_names)


def strip_unused_from_files(
    input_graph: str, input_binary: bool, output_graph: str, output_binary: bool, input_node_names: str,
    output_node_names: str, placeholder_type_enum: int | Sequence[int],
) -> Proto | None:
    """`strip_unused` from one file to another, in binary form or as text; names are separated by commas.

    None if there is nothing to do.
    """
    if not Path(input_graph).exists():
        print(f"Input graph file '{input_graph}' does not exist!")
        return None
    if not output_node_names:
        print("You need to supply the name of a node to --output_node_names.")
        return None
    content = Path(input_graph).read_bytes()
    graph_def = GraphDef.FromString(content) if input_binary else text_format.Parse(content.decode(), GraphDef())
    stripped = strip_unused(graph_def, input_node_names.split(","), output_node_names.split(","), placeholder_type_enum)
    Path(output_graph).write_bytes(
        stripped.SerializeToString() if output_binary else text_format.MessageToString(stripped).encode()
    )
    print(f"{len(stripped.node)} ops in the final graph.")
    return stripped
