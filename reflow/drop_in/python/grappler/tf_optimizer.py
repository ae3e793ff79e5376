"""`tensorflow.python.grappler.tf_optimizer`: a graph with fewer nodes that computes the same.

Of Grappler's optimizers two change what a file says: *constant folding* replaces nodes that follow from constants alone
by their values, and *pruning* leaves out what the fetched nodes do not need. The others make a graph faster to run,
which is the compiler's work here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tensorboard.compat.proto.node_def_pb2 import NodeDef

from reflow.api.framework.graph_names import import_graph_def
from reflow.compat.freeze import extract_sub_graph
from reflow.core.context import init_scope
from reflow.core.tensor import EagerTensor
from reflow.core.types import Proto
from reflow.graph.clone import graphs_in
from reflow.graph.graph import Graph, Node
from reflow.graph.proto_values import encode_tensor
from reflow.ops.dispatch import dispatch
from reflow.ops.kernels.array.shaping import const

_FOLDING = frozenset({"constfold", "constant_folding"})
_PRUNING = frozenset({"pruning", "prune", "model_pruner"})
_LARGEST = 10 << 20  # bytes of a folded constant, Grappler's limit
_OFF = 2  # RewriterConfig.Toggle.OFF


def OptimizeGraph(  # noqa: N802 (TensorFlow's name)
    config_proto: Proto, metagraph: Proto, verbose: bool = True, graph_id: bytes = b"graph_to_optimize",
    cluster: Any = None, strip_default_attributes: bool = False,
) -> Proto:
    """The GraphDef of a MetaGraphDef after the optimizers that `config_proto.graph_options.rewrite_options` names, or
    all of them.

    What the collection `train_op` names stays, and so do placeholders. `verbose`, `graph_id`, `cluster` and
    `strip_default_attributes` concern Grappler's cost models and logs, of which there are none.
    """
    options = config_proto.graph_options.rewrite_options
    graph_def, named = metagraph.graph_def, set(options.optimizers)
    fetched = {_node_name(value) for value in metagraph.collection_def["train_op"].node_list.value}
    if named & _FOLDING or (not named and options.constant_folding != _OFF):
        graph_def = _folded(graph_def, fetched)
    if named & _PRUNING or (not named and not options.disable_model_pruning):
        graph_def = extract_sub_graph(graph_def, sorted(fetched))
    return graph_def


def _node_name(tensor: str) -> str:
    return tensor.removeprefix("^").split(":")[0]


def _folded(graph_def: Proto, fetched: Collection[str]) -> Proto:
    """A GraphDef with constants in place of nodes that follow from constants."""
    graph = Graph()
    with graph.as_default():
        import_graph_def(graph_def, name="")
    values: dict[int, EagerTensor] = {}
    folded: dict[str, EagerTensor] = {}
    for node in graph.nodes:
        result = _value(node, values)
        if result is not None:
            values[node.outputs[0]._id] = result
            if node.record is not const and node.name not in fetched:
                folded[node.name] = result
    new = type(graph_def)()
    new.CopyFrom(graph_def)
    del new.node[:]
    new.node.extend(_constant(node, folded[node.name]) if node.name in folded else node for node in graph_def.node)
    return new


def _value(node: Node, values: dict[int, EagerTensor]) -> EagerTensor | None:
    """The value of a node's only output, if it is known before the graph runs."""
    record = node.record
    if record is const:
        return EagerTensor(node.attrs["value"], node.attrs["dtype"])
    known = [values.get(t._id) for t in node.inputs]
    fixed = (
        known and None not in known and not node.control_inputs and not record.stateful and not graphs_in(node.attrs)
    )
    if not fixed or len(node.outputs) != 1 or node.outputs[0]._dtype.kind == "o":
        return None
    attrs = {name: value for name, value in node.attrs.items() if name not in record.definition.inferred_attrs}
    with init_scope():
        made = dispatch(record, known, record.bind(attrs))
    result = made if record.single else made[0]
    return result if result.shape.num_elements() * result.dtype.size <= _LARGEST else None


def _constant(node: Proto, value: EagerTensor) -> Proto:
    new = NodeDef(name=node.name, op=const.name, device=node.device)
    new.attr["dtype"].type = value.dtype.as_datatype_enum
    new.attr["value"].tensor.CopyFrom(encode_tensor(value._host(), value.dtype))
    return new
