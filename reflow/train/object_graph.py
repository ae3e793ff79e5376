"""The object graph of a checkpoint: the objects, their references, and the keys that hold their values.

A `tf.train.Checkpoint` stores a serialized TrackableObjectGraph under the key `_CHECKPOINTABLE_OBJECT_GRAPH`,
a scalar string. Its nodes are objects; node 0 is the root. A node has

    children          (local name, node id) of the objects it refers to
    attributes        (name, full name, checkpoint key) of what is saved for it; a variable has VARIABLE_VALUE
    slot_variables    an optimizer's: (node id of a variable, slot name, node id of the slot variable)

and a flag that says whether it or anything below it has a saved value.

A checkpoint key is the path of local names from the root, then what is saved there::

    layer/kernel/.ATTRIBUTES/VARIABLE_VALUE
    layer/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE

Local names are free text: in a path, `.` is written `..` and `/` is written `.S`, so a single dot before another letter
is ours.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import trackable_object_graph_pb2

from reflow.core import errors

OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
VARIABLE_VALUE = "VARIABLE_VALUE"
ATTRIBUTES = ".ATTRIBUTES"
OPTIMIZER_SLOT = ".OPTIMIZER_SLOT"


@dataclasses.dataclass
class ObjectNode:
    children: list[tuple[str, int]] = dataclasses.field(default_factory=list)
    attributes: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)
    slot_variables: list[tuple[int, str, int]] = dataclasses.field(default_factory=list)
    #: (class name, object name) of an object with its own saver
    registered_saver: tuple[str, str] | None = None


# ---------------------------------------------------------------- keys


def escape_local_name(name: str) -> str:
    """
    >>> escape_local_name("a/b.c")
    'a.Sb..c'
    """
    return name.replace(".", "..").replace("/", ".S")


def unescape_local_name(name: str) -> str:
    """
    >>> unescape_local_name("a.Sb..c")
    'a/b.c'
    """
    return re.sub(r"\.(\.|S)", lambda match: "." if match[1] == "." else "/", name)


def object_path(local_names: Iterable[str]) -> str:
    return "/".join(map(escape_local_name, local_names))


def checkpoint_key(path: str, attribute: str = VARIABLE_VALUE) -> str:
    """The key of an attribute of the object at `path` (the root's is the empty string).

    >>> checkpoint_key(object_path(["layer", "kernel"]))
    'layer/kernel/.ATTRIBUTES/VARIABLE_VALUE'
    """
    return f"{path}/{ATTRIBUTES}/{escape_local_name(attribute)}"


def slot_variable_path(variable_path: str, optimizer_path: str, slot_name: str) -> str:
    """The path of an optimizer's slot variable, to be given to `checkpoint_key`."""
    return f"{variable_path}/{OPTIMIZER_SLOT}/{optimizer_path}/{escape_local_name(slot_name)}"


# ---------------------------------------------------------------- the proto


def build(nodes: Sequence[ObjectNode]) -> bytes:
    """The serialized graph, equal byte for byte to TensorFlow's for the same nodes."""
    graph = trackable_object_graph_pb2.TrackableObjectGraph()
    with_values = _nodes_with_values(nodes)
    for node_id, node in enumerate(nodes):
        proto = graph.nodes.add()
        for local_name, child in node.children:
            proto.children.add(node_id=child, local_name=local_name)
        for name, full_name, key in node.attributes:
            proto.attributes.add(name=name, full_name=full_name, checkpoint_key=key)
        for original, slot_name, slot in node.slot_variables:
            proto.slot_variables.add(
                original_variable_node_id=original, slot_name=slot_name, slot_variable_node_id=slot
            )
        if node.registered_saver is not None:
            proto.registered_saver.name, proto.registered_saver.object_name = node.registered_saver
        proto.has_checkpoint_values.value = node_id in with_values
    return graph.SerializeToString()


def _nodes_with_values(nodes: Sequence[ObjectNode]) -> set[int]:
    """Nodes that have something saved, and all from which one of these can be reached."""
    parents: list[list[int]] = [[] for _ in nodes]
    for node_id, node in enumerate(nodes):
        for _, child in node.children:
            parents[child].append(node_id)
    found = {i for i, n in enumerate(nodes) if n.attributes or n.slot_variables or n.registered_saver}
    pending = list(found)
    while pending:
        new = set(parents[pending.pop()]) - found
        found |= new
        pending += new
    return found


def parse(data: bytes) -> list[ObjectNode]:
    """The nodes of a serialized graph. DataLossError if malformed, or if it refers to a missing node."""
    try:
        graph = trackable_object_graph_pb2.TrackableObjectGraph.FromString(data)
    except DecodeError as e:
        raise errors.DataLossError(None, None, f"corrupt object graph in checkpoint: {e}") from None
    nodes = [_parse_node(proto) for proto in graph.nodes]
    for node_id, node in enumerate(nodes):
        slots = [i for original, _, slot in node.slot_variables for i in (original, slot)]
        for other in [child for _, child in node.children] + slots:
            if not 0 <= other < len(nodes):
                what = f"node {node_id} refers to node {other} of {len(nodes)}"
                raise errors.DataLossError(None, None, f"corrupt object graph in checkpoint: {what}")
    return nodes


def _parse_node(proto) -> ObjectNode:
    saver = proto.registered_saver
    return ObjectNode(
        [(child.local_name, child.node_id) for child in proto.children],
        [(a.name, a.full_name, a.checkpoint_key) for a in proto.attributes],
        [(s.original_variable_node_id, s.slot_name, s.slot_variable_node_id) for s in proto.slot_variables],
        (saver.name, saver.object_name) if proto.HasField("registered_saver") else None,
    )
