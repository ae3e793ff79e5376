"""`tensorflow.python.tools.optimize_for_inference_lib`: frozen GraphDefs, with fewer ops to run.

Every function gives a new GraphDef. Placeholders become constants. Normalization of a batch that was written in single
ops becomes one op; in front of it a convolution with constant weights takes its scale into the weights, and what
remains is a bias. A convolution of an image that was resized or padded does both itself.
"""

from __future__ import annotations

import collections
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef

from reflow.compat.freeze import remove_training_nodes
from reflow.core import dtypes
from reflow.core.logging import warn
from reflow.core.types import Proto
from reflow.drop_in.python.tools.strip_unused_lib import strip_unused
from reflow.graph.proto_values import decode_tensor, encode_tensor
from reflow.ops.kernels.array.shaping import const, placeholder
from reflow.ops.registry import get

CONV, DEPTHWISE, BIAS_ADD = get("Conv2D"), get("DepthwiseConv2dNative"), get("BiasAdd")
PAD, RESIZE, PAD_CONV, RESIZE_CONV = (
    get("MirrorPad"), get("ResizeBilinear"), get("FusedPadConv2D"), get("FusedResizeAndPadConv2D")
)
ADD, ADD_V2, SUB, MUL, RSQRT = get("Add"), get("AddV2"), get("Sub"), get("Mul"), get("Rsqrt")
FUSED_NORM, FUSED_NORM_V3, GLOBAL_NORM = (
    get("FusedBatchNorm"), get("FusedBatchNormV3"), get("BatchNormWithGlobalNormalization")
)
WITH_DEFAULT = get("PlaceholderWithDefault")

#: the values of placeholders that are constants unless the caller says otherwise
_KNOWN_PLACEHOLDERS = {"keras_learning_phase": "False"}

Nodes = Mapping[str, Proto]


class NoMatch(Exception):
    """A node does not have the form that was looked for; the text says why."""


def optimize_for_inference(
    input_graph_def: Proto, input_node_names: Sequence[str], output_node_names: Sequence[str],
    placeholder_type_enum: int | Sequence[int], toco_compatible: bool = False,
    placeholder_to_const_names: Sequence[str] | None = None,
) -> Proto:
    """All that this module does to a graph, and no nodes that training alone needs.

    Args:
      input_graph_def: the GraphDef.
      input_node_names: nodes that will be fed.
      output_node_names: nodes whose results are wanted.
      placeholder_type_enum: the DataType of all inputs, or of each.
      toco_compatible: whether convolutions stay as they are, without resizing and padding of their own.
      placeholder_to_const_names: boolean placeholders that become constants, as "name=True".

    Raises:
      ValueError: names stand twice, or an input is missing.
    """
    ensure_graph_is_valid(input_graph_def)
    graph_def = convert_placeholder_to_const(input_graph_def, placeholder_to_const_names)
    graph_def = strip_unused(graph_def, input_node_names, output_node_names, placeholder_type_enum)
    graph_def = remove_training_nodes(graph_def, output_node_names)
    graph_def = fold_batch_norms(fuse_decomposed_batch_norm(graph_def))
    if not toco_compatible:
        graph_def = fuse_resize_and_conv(graph_def, output_node_names)
    ensure_graph_is_valid(graph_def)
    return graph_def


# --- nodes ------------------------------------------------------------------------------------------------------------


def _by_name(graph_def: Proto) -> dict[str, Proto]:
    found: dict[str, Proto] = {}
    for node in graph_def.node:
        if node.name in found:
            raise ValueError("Duplicate node names detected for ", node.name)
        found[node.name] = node
    return found


def ensure_graph_is_valid(graph_def: Proto) -> None:
    """Raise ValueError if a name stands twice or an input is missing."""
    nodes = _by_name(graph_def)
    for node in graph_def.node:
        for reference in node.input:
            if node_name_from_input(reference) not in nodes:
                raise ValueError("Input for ", node.name, " not found: ", reference)


def node_name_from_input(node_name: str) -> str:
    """The node of an input: without the mark of a control edge and the number of an output."""
    name, _, output = node_name.removeprefix("^").rpartition(":")
    return name if name and output.isdigit() else node_name.removeprefix("^")


def node_from_map(node_map: Nodes, name: str) -> Proto:
    """The node behind an input."""
    found = node_map.get(node_name_from_input(name))
    if found is None:
        raise ValueError(f"No node named '{name}' found in map.")
    return found


def values_from_const(node_def: Proto) -> np.ndarray:
    """The value of a constant."""
    if node_def.op != const.name:
        raise ValueError(f"Can not extract constant value from a node that is not Const. Got:\n{node_def}")
    return decode_tensor(node_def.attr["value"].tensor)


def _constant_node(name: str, value: np.ndarray) -> Proto:
    node = NodeDef(name=name, op=const.name)
    node.attr["dtype"].type = dtypes.as_dtype(value.dtype).as_datatype_enum
    node.attr["value"].tensor.CopyFrom(encode_tensor(value))
    return node


def _sources(node: Proto, nodes: Nodes, *kinds) -> list[Proto]:
    """The nodes whose results a node of one of some kinds computes with."""
    if node.op not in [kind.name for kind in kinds]:
        raise NoMatch(f"{node.name} is {node.op}, not {' or '.join(kind.name for kind in kinds)}")
    return [node_from_map(nodes, r) for r in node.input if not r.startswith("^")]


def _known(node: Proto, rank: int) -> np.ndarray:
    """The value of a constant with so many axes."""
    if node.op != const.name:
        raise NoMatch(f"{node.name} is no constant: freeze the graph first")
    value = values_from_const(node)
    if value.ndim != rank:
        raise NoMatch(f"{node.name} has {value.ndim} axes instead of {rank}")
    return value


def _empty_like(graph_def: Proto) -> Proto:
    """A graph without nodes, with the versions and the functions of another where it has any."""
    kept = {field.name: value for field, value in graph_def.ListFields() if field.name != "node" and value.ByteSize()}
    return GraphDef(**kept)


def _with_others(graph_def: Proto, gone: Collection[str], added: Sequence[Proto]) -> Proto:
    """A graph in which some nodes stand for others; nothing waits for those that are gone."""
    changed = _empty_like(graph_def)
    for node in graph_def.node:
        if node.name not in gone:
            kept = changed.node.add()
            kept.CopyFrom(node)
            kept.input[:] = [r for r in node.input if not (r.startswith("^") and r[1:] in gone)]
    changed.node.extend(added)
    return changed


# --- placeholders -----------------------------------------------------------------------------------------------------


def convert_placeholder_to_const(input_graph_def: Proto, nodes_to_convert: Sequence[str] | None = None) -> Proto:
    """Boolean placeholders as constants: those named, as "name=True", and Keras' learning phase, which is false."""
    given = dict(entry.split("=", 1) for entry in nodes_to_convert or () if "=" in entry)
    values = _KNOWN_PLACEHOLDERS | {name.strip(): value for name, value in given.items()}
    nodes, changed = _by_name(input_graph_def), {}
    for name, node in nodes.items():
        wanted = [value for key, value in values.items() if key in name]
        if not wanted or node.op not in (placeholder.name, WITH_DEFAULT.name):
            continue
        if node.attr["dtype"].type == dtypes.bool_.enum:
            changed[name] = _constant_node(name, np.array(wanted[0] in ("True", "true")))
        else:
            warn("%s stays a placeholder: only boolean ones become constants.", name)
    graph_def = _empty_like(input_graph_def)
    graph_def.node.extend(changed.get(name, node) for name, node in nodes.items())
    return graph_def


# --- normalization of a batch -----------------------------------------------------------------------------------------


class _Layout(NamedTuple):
    """Which inputs of an op are what, and what its epsilon is called."""

    mean: int
    variance: int
    offset: int
    scale: int
    epsilon: str


_LAYOUTS = {
    GLOBAL_NORM.name: _Layout(1, 2, 3, 4, "variance_epsilon"),
    **dict.fromkeys((FUSED_NORM.name, FUSED_NORM_V3.name), _Layout(3, 4, 2, 1, "epsilon")),
}


def fold_batch_norms(input_graph_def: Proto) -> Proto:
    """Normalization behind a convolution as other weights and a bias; what has other inputs than constants stays."""
    nodes = _by_name(input_graph_def)
    gone: set[str] = set()
    added: list[Proto] = []
    for node in input_graph_def.node:
        if node.op in _LAYOUTS:
            try:
                replaced, new = _folded(node, nodes)
            except NoMatch as error:
                warn("The normalization %s stays: %s.", node.name, error)
                continue
            gone |= replaced
            added += new
    return _with_others(input_graph_def, gone, added)


def _folded(node: Proto, nodes: Nodes) -> tuple[set[str], list[Proto]]:
    """The names of the nodes that a normalization makes superfluous, and the nodes instead of them."""
    layout, sources = _LAYOUTS[node.op], [node_from_map(nodes, r) for r in node.input]
    conv, bias = sources[0], np.zeros(())
    gone = {node.name}
    if conv.op in (BIAS_ADD.name, ADD.name, ADD_V2.name):
        gone.add(conv.name)
        conv, other = sorted(
            _sources(conv, nodes, BIAS_ADD, ADD, ADD_V2), key=lambda n: n.op not in (CONV.name, DEPTHWISE.name)
        )
        bias = _known(other, 1)
    weights_node = _sources(conv, nodes, CONV, DEPTHWISE)[1]
    weights = _known(weights_node, 4)
    channels = weights.shape[3] if conv.op == CONV.name else weights.shape[2] * weights.shape[3]
    mean, variance, offset, scale = (_known(sources[i], 1) for i in layout[:4])
    if any(len(x) != channels for x in (mean, variance, offset, scale)):
        raise NoMatch(f"its inputs do not have the {channels} channels of {conv.name}")
    factor = 1.0 / np.sqrt(variance + node.attr[layout.epsilon].f)
    if node.op != GLOBAL_NORM.name or node.attr["scale_after_normalization"].b:
        factor = factor * scale
    factors = factor if conv.op == CONV.name else factor.reshape(weights.shape[2:])
    new_weights = _constant_node(f"{conv.name}_weights", (weights * factors).astype(weights.dtype))
    new_offset = _constant_node(f"{conv.name}_bn_offset", (offset - (mean - bias) * factor).astype(mean.dtype))
    new_conv = NodeDef()
    new_conv.CopyFrom(conv)
    new_conv.input[1] = new_weights.name
    sum_ = NodeDef(name=node.name, op=BIAS_ADD.name, input=[conv.name, new_offset.name])
    for attribute in ("T", "data_format"):
        sum_.attr[attribute].CopyFrom(conv.attr[attribute])
    return gone | {conv.name, weights_node.name}, [new_weights, new_conv, new_offset, sum_]


def fuse_decomposed_batch_norm(input_graph_def: Proto) -> Proto:
    """`x * s + (offset - mean * s)` behind a convolution as one op, where `s` is `rsqrt(variance + epsilon)`,
    or that times a scale."""
    nodes = _by_name(input_graph_def)
    gone: set[str] = set()
    added: list[Proto] = []
    for node in input_graph_def.node:
        try:
            replaced, new = _fused(node, nodes)
        except NoMatch:
            continue
        gone |= replaced
        added += new
    return _with_others(input_graph_def, gone, added)


def _fused(node: Proto, nodes: Nodes) -> tuple[set[str], list[Proto]]:
    """The names of the nodes that one op can stand for, and that op."""
    scaled, shift = sorted(_sources(node, nodes, ADD, ADD_V2), key=lambda n: n.op == SUB.name)
    x, factor = _sources(scaled, nodes, MUL)
    offset, scaled_mean = _sources(shift, nodes, SUB)
    mean, same = _sources(scaled_mean, nodes, MUL)
    if same.name != factor.name:
        raise NoMatch("mean and numbers have different factors")
    root, scale = _sources(factor, nodes, MUL) if factor.op == MUL.name else (factor, None)
    (total,) = _sources(root, nodes, RSQRT)
    variance, epsilon = _sources(total, nodes, ADD, ADD_V2)
    new = []
    if scale is None:
        prefix = factor.name.rpartition("/")[0] or factor.name
        scale = _constant_node(f"{prefix}/gamma", np.ones_like(_known(offset, 1)))
        new.append(scale)
    for vector in (scale, offset, mean, variance):
        _known(vector, 1)
    fused = NodeDef(name=node.name, op=FUSED_NORM.name, input=[n.name for n in (x, scale, offset, mean, variance)])
    fused.attr["T"].CopyFrom(node.attr["T"])
    fused.attr["is_training"].b = False
    fused.attr["epsilon"].f = float(_known(epsilon, 0))
    fused.attr["data_format"].s = _data_format(x, nodes)
    return {n.name for n in (node, scaled, shift, scaled_mean, factor, root, total)}, [*new, fused]


def _data_format(node: Proto, nodes: Nodes) -> bytes:
    """The order of axes of a convolution, or of one right before a node; it must have channels last."""
    before = [node, *(node_from_map(nodes, r) for r in node.input)]
    found = next((n.attr["data_format"].s for n in before if n.op in (CONV.name, DEPTHWISE.name)), b"")
    if found != b"NHWC":
        raise NoMatch(f"{node.name} is not a convolution with channels last")
    return found


# --- images -----------------------------------------------------------------------------------------------------------


def fuse_resize_and_conv(input_graph_def: Proto, output_node_names: Sequence[str]) -> Proto:
    """Convolutions that resize and pad their images themselves, in place of ops before them."""
    nodes = _by_name(input_graph_def)
    uses = collections.Counter(node_name_from_input(r) for node in input_graph_def.node for r in node.input)
    uses.update(output_node_names)
    added: list[Proto] = []
    for conv in input_graph_def.node:
        if conv.op == CONV.name:
            pad, resize = _before(conv, nodes)
            if pad is None and resize is None:
                continue
            uses[conv.name] = 0
            uses.subtract(n.name for n in (pad, resize) if n is not None)
            added.extend(_convolution(conv, pad, resize))
    return _with_others(input_graph_def, {name for name in nodes if uses[name] < 1}, added)


def _before(conv: Proto, nodes: Nodes) -> tuple[Proto | None, Proto | None]:
    """The ops that pad and that resize the image of a convolution."""
    image = node_from_map(nodes, conv.input[0])
    pad = image if image.op == PAD.name else None
    image = image if pad is None else node_from_map(nodes, pad.input[0])
    return pad, image if image.op == RESIZE.name else None


def _convolution(conv: Proto, pad: Proto | None, resize: Proto | None) -> Iterator[Proto]:
    """A convolution with what is done before it, and the constant that it needs if there is no padding."""
    if pad is None:
        paddings = _constant_node(f"{conv.name}_dummy_paddings", np.zeros((4, 2), np.int32))
        yield paddings
    name = paddings.name if pad is None else pad.input[1]
    fused = NodeDef(name=conv.name, op=PAD_CONV.name if resize is None else RESIZE_CONV.name)
    if resize is not None:
        fused.input.extend([resize.input[0], resize.input[1], name, conv.input[1]])
        fused.attr["resize_align_corners"].CopyFrom(resize.attr["align_corners"])
    elif pad is not None:
        fused.input.extend([pad.input[0], name, conv.input[1]])
    fused.attr["mode"].s = b"REFLECT" if pad is None else pad.attr["mode"].s
    for attribute in ("T", "strides", "padding"):
        fused.attr[attribute].CopyFrom(conv.attr[attribute])
    yield fused
