"""Graphs as TensorFlow's protos: NodeDef, GraphDef, FunctionDef.

The traced graph is written, with Reflow ops replaced by ordinary ones (`expand.py`). TensorFlow orders execution by
edges, so the order of reads, writes and effects is written out as control inputs, and `control_ret` names the nodes
that must run (`control_edges.py`).

    in a GraphDef      an input is `node` or `node:2`, a control input `^node`
    in a FunctionDef   an input is an argument's name, or `node:output_name:i` with the output's name in the OpDef

Attributes that equal the OpDef's default are omitted, as in SavedModels. Of the private attributes (`_…`) only those
that TensorFlow knows are written; the others belong to our runtime.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tensorboard.compat.proto import function_pb2, graph_pb2, node_def_pb2

from reflow.core import dtypes
from reflow.core.resources import HandleFacts
from reflow.core.types import Dims, Proto
from reflow.graph import inference
from reflow.graph.control_edges import Order, graph_effects, graphs_of
from reflow.graph.expand import expand
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph, static_of
from reflow.graph.graph import Node, SymbolicTensor
from reflow.graph.node import Source
from reflow.graph.proto_values import encode_attr, encode_plain, encode_shape
from reflow.ops.kernels.array.shaping import const
from reflow.ops.opdef import MISSING, Attr
from reflow.ops.registry import Op, decode_default

PRODUCER, MIN_CONSUMER = 2474, 12  # GraphDef versions of TensorFlow 2.21
KNOWN_PRIVATE = {
    "_gradient_op_type": "string",
    "_class": "list(string)",
    "_has_manual_control_dependencies": "bool",
    "_user_specified_name": "string",
    "_XlaMustCompile": "bool",
    "_xla_compile_id": "string",
}


# --- nodes ------------------------------------------------------------------------------------------------------------


def legal_name(name: str) -> str:
    """A node name that TensorFlow accepts.

    >>> legal_name("_a b")
    'n_a_b'
    """
    name = re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", name)
    return name if re.match(r"[A-Za-z0-9.]", name) else "n" + name


def argument_name(name: str) -> str:
    """The name of a function's argument: lower case, digits and underscores.

    >>> argument_name("Input/X:0")
    'input_x_0'
    """
    name = re.sub(r"[^a-z0-9_]", "_", name.lower())
    return name if re.match(r"[a-z]", name) else "arg_" + name.lstrip("_")


class Names:
    """Unique names; as in TensorFlow, names must differ in more than case."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, name: str) -> str:
        candidate, n = name, 0
        while candidate.lower() in self._taken:
            n += 1
            candidate = f"{name}_{n}"
        self._taken.add(candidate.lower())
        return candidate


def output_places(record: Op, full: dict) -> list:
    """For each flat output of a node: (name of the output in the OpDef, position in it)."""
    places = []
    for arg in record.definition.outputs:
        count = 1
        if arg.type_list_attr:
            count = len(full[arg.type_list_attr])
        elif arg.number_attr:
            count = full[arg.number_attr]
        places += [(arg.name, i) for i in range(count)]
    return places


def encode_attrs(
    node: Node, proto: Proto, function_name: Callable[..., str], complete: bool = False, shapes: bool = True
) -> None:
    """Write a node's attributes, including defaults if `complete`.

    Raises a TypeError that names an attribute without a proto.
    """
    full = inference.full_attrs(node)
    for name, attr in node.record.definition.attrs.items():
        value = full.get(name)
        if value is None and attr.type != "shape":
            if attr.default is MISSING:
                raise TypeError(f"Node '{node.name}' ({node.type}) has no value for the attribute '{name}'.")
            continue
        if not complete and attr.default is not MISSING and _is_default(attr, value):
            continue
        try:
            encoded = encode_attr(attr.type, value, function_name)
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            raise TypeError(
                f"Node '{node.name}' ({node.type}): cannot write the attribute '{name}' = {value!r}: {error}"
            ) from error
        proto.attr[name].CopyFrom(encoded)
    if node.record is const:
        proto.attr["value"].tensor.dtype = dtypes.as_dtype(full["dtype"]).enum  # NumPy has no quantized dtypes
    for name, kind in KNOWN_PRIVATE.items():
        if full.get(name) is not None:
            proto.attr[name].CopyFrom(encode_attr(kind, full[name], function_name))
    if shapes:
        proto.attr["_output_shapes"].CopyFrom(_shapes([t._dims for t in node.outputs]))


def _is_default(attr: Attr, value: Any) -> bool:
    default = decode_default(attr)
    if attr.type == "shape":
        return default is None and value is None
    if isinstance(value, np.ndarray) or attr.type in ("tensor", "func", "list(func)"):
        return False
    if attr.is_list:
        return list(value) == list(default or ())
    return type(value) is type(default) and value == default


def node_to_proto(node: Node, exporter: Exporter | None = None, complete: bool = False, shapes: bool = False) -> Proto:
    """One node in GraphDef form; `complete` also writes defaults, `shapes` the static shapes of the outputs."""
    exporter = exporter or Exporter()
    proto = node_def_pb2.NodeDef(name=node.name, op=node.type, device=node.device or "")
    proto.input.extend(t.op.name if t.value_index == 0 else f"{t.op.name}:{t.value_index}" for t in node.inputs)
    proto.input.extend(f"^{n.name}" for n in node.waits)
    encode_attrs(node, proto, exporter.name_of, complete, shapes)
    if node in node.graph.full_types:
        proto.experimental_type.ParseFromString(node.graph.full_types[node])
    return proto


# --- graphs -----------------------------------------------------------------------------------------------------------


def graph_to_proto(
    graph: Any, exporter: Exporter | None = None, start: int = 0, complete: bool = False, shapes: bool = True
) -> Proto:
    """A graph as a GraphDef, with the functions it calls in the library; without the first `start` nodes."""
    exporter = exporter or Exporter()
    graph = exporter.expanded(graph)
    proto = new_graph_def()
    order = Order(graph.nodes) if graph.building_function else None
    for node in graph.nodes[start:]:
        written = node_to_proto(node, exporter, complete, shapes)
        if order is not None:
            waits = [f"^{n.name}" for n in order.before.get(node, ())]
            written.input.extend(w for w in waits if w not in written.input)
        proto.node.append(written)
    library = exporter.library()
    if library.function or library.gradient:
        proto.library.CopyFrom(library)
        proto.versions.min_consumer = MIN_CONSUMER  # older programs have no functions
    return proto


def new_graph_def() -> Proto:
    proto = graph_pb2.GraphDef()
    proto.versions.producer = PRODUCER
    return proto


@dataclasses.dataclass
class OwnGradient:
    """A written node with a user-defined gradient: the gradient's name, and the function that contains the node."""

    op_type: str
    node: Node
    writer: _FunctionWriter


class Exporter:
    """The functions of one file: each graph is written once, under a unique name.

    With `gradients`, nodes with user-defined gradients say so, and are listed in `own_gradients`. The code that writes
    these gradients as functions adds them to `registered`.
    """

    def __init__(self, gradients: bool = False) -> None:
        self.gradients = gradients
        self.own_gradients: list[OwnGradient] = []
        self.registered: dict[str, str] = {}  # name of a gradient -> its function
        self.sources: dict[str, Source] = {}  # node@function -> the source line that created it
        self._names: dict = {}  # expanded graph -> name
        self._functions: dict = {}  # name -> FunctionDef
        self._expanded: dict = {}
        self._copies: dict = {}  # graph -> its copy in TensorFlow's ops
        self._arguments: dict = {}  # expanded graph -> the names of its arguments
        self._unique = Names()

    def expanded(self, graph: Any) -> Any:
        """The graph in TensorFlow's ops. A graph that is already a copy is returned as it is."""
        if graph not in self._expanded:
            copy = expand(graph, self._copies)
            self._expanded[graph] = self._expanded[copy] = copy
            self._mark_inner(copy)
        return self._expanded[graph]

    def _mark_inner(self, graph: Any) -> None:
        """Graphs in the attributes of an expanded graph are expanded too."""
        for node in graph.nodes:
            for inner in graphs_of(node):
                if inner not in self._expanded:
                    self._expanded[inner] = inner
                    self._mark_inner(inner)

    def name_arguments(self, graph: FuncGraph, names: Sequence[str | None]) -> None:
        """Set the names of a function's arguments before it is written, which another function's call may trigger."""
        self._arguments[self.expanded(graph)] = names

    def name_of(self, graph: FuncGraph, label: str | None = None) -> str:
        """The function's name in the file; writes the function if it is new."""
        if not isinstance(graph, FuncGraph):
            raise TypeError(f"{graph!r} is not a function graph")
        copy = self.expanded(graph)
        name = self._names.get(copy)
        if name is None:
            name = self._unique.unique(graph.own_name or f"{_function_label(graph, label)}_{len(self._names)}")
            self._names[copy] = name
            self._functions[name] = function_to_proto(copy, name, self, self._arguments.get(copy))
        return name

    def library(self) -> Proto:
        library = function_pb2.FunctionDefLibrary(function=[self._functions[n] for n in sorted(self._functions)])
        for op_type, name in self.registered.items():
            library.registered_gradients.add(gradient_func=name, registered_op_type=op_type)
        return library


def _function_label(graph: FuncGraph, label: str | None) -> str:
    """The function's name without its number: for a branch or loop body, its node's name and its role."""
    if label is not None or graph.body_scope is None:
        return f"__inference_{legal_name(label or graph.name)}"
    return legal_name(str(graph.body_scope).replace("/", "_") + graph.name.rsplit("_", 1)[-1])


# --- functions --------------------------------------------------------------------------------------------------------


def function_to_proto(
    graph: FuncGraph, name: str | None = None, exporter: Exporter | None = None,
    argument_names: Sequence[str | None] | None = None,
) -> Proto:
    """A function graph as a FunctionDef; the functions that it calls go into the exporter's library.

    >>> f = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([None], tf.float32))
    >>> [n.op for n in function_to_proto(f.graph, "f").node_def]
    ['Const', 'Mul', 'Identity']
    """
    exporter = exporter or Exporter()
    return _FunctionWriter(exporter.expanded(graph), name or graph.name, exporter, argument_names).proto


class _FunctionWriter:
    """Writes one FunctionDef."""

    def __init__(
        self, graph: FuncGraph, name: str, exporter: Exporter, argument_names: Sequence[str | None] | None
    ) -> None:
        self.graph, self.exporter = graph, exporter
        self.proto = function_pb2.FunctionDef()
        self.proto.signature.name = name
        self.names = Names()
        self.arguments: dict = {}  # id of an input tensor -> argument name
        self.node_names: dict = {}
        self.places: dict = {}
        self._write_arguments(argument_names or [None] * len(graph.inputs))
        order = Order(graph.nodes)
        for node in graph.nodes:
            if node.record is not PLACEHOLDER:
                self._write_node(node, order.before.get(node, ()))
        self._write_results()
        self._write_effects(order)
        self.proto.attr["_construction_context"].s = b"kEagerRuntime"
        if graph.jit_compile:
            self.proto.attr["_XlaMustCompile"].b = True
        for key, value in getattr(graph, "attributes", {}).items():
            self.proto.attr[key].CopyFrom(encode_plain(value))

    def _write_arguments(self, given: Sequence[str | None]) -> None:
        shapes = []
        given = [*given, *[None] * (len(self.graph.inputs) - len(given))]
        for i, (tensor, label) in enumerate(zip(self.graph.inputs, given, strict=True)):
            name = self.names.unique(argument_name(label or tensor.op.name))
            self.arguments[tensor._id] = name
            arg = self.proto.signature.input_arg.add(name=name, type=tensor._dtype.enum)
            facts = static_of(tensor)
            if isinstance(facts, HandleFacts) and facts.dtype is not None:
                data = arg.handle_data.add(dtype=facts.dtype.enum)
                encode_shape(facts.dims, data.shape)
                data.shape.SetInParent()
            attrs = self.proto.arg_attr[i].attr
            attrs["_user_specified_name"].s = (label or tensor.op.name).encode()
            if tensor._dtype.kind != "o":
                attrs["_output_shapes"].CopyFrom(_shapes([tensor._dims]))
            shapes.append(tensor._dims)
        if shapes:
            self.proto.attr["_input_shapes"].CopyFrom(_shapes(shapes))

    def _write_node(self, node: Node, waits: Sequence[Node]) -> None:
        name = self.node_names[node] = self.names.unique(legal_name(node.name))
        if node.source is not None:
            self.exporter.sources[f"{name}@{self.proto.signature.name}"] = node.source
        proto = self.proto.node_def.add(name=name, op=node.type, device=node.device or "")
        proto.input.extend(self._reference(t) for t in node.inputs)
        proto.input.extend(f"^{self.node_names[n]}" for n in waits)
        encode_attrs(node, proto, self.exporter.name_of)
        if self.exporter.gradients and "_gradient_function" in node.attrs:
            own = OwnGradient(f"CustomGradient-{len(self.exporter.own_gradients)}", node, self)
            self.exporter.own_gradients.append(own)
            proto.attr["_gradient_op_type"].s = own.op_type.encode()
        self.places[node] = output_places(node.record, inference.full_attrs(node))

    def name_of(self, tensor: SymbolicTensor) -> str:
        """The name of a tensor in a graph that is created from the function."""
        if tensor._id in self.arguments:
            return f"{self.arguments[tensor._id]}:0"
        return f"{self.node_names[tensor.op]}:{tensor.value_index}"

    def _reference(self, tensor: SymbolicTensor) -> str:
        if tensor._id in self.arguments:
            return self.arguments[tensor._id]
        output, index = self.places[tensor.op][tensor.value_index]
        return f"{self.node_names[tensor.op]}:{output}:{index}"

    def _write_results(self) -> None:
        """Each output has its own name. A returned argument goes through an Identity, as in TensorFlow, and so do all
        results of branches and loop bodies except a loop's captures.
        """
        scope, inputs, own = self.graph.body_scope, self.graph.inputs, len(self.graph.arguments)
        for i, tensor in enumerate(self.graph.outputs):
            reference = self._reference(tensor)
            passed_on = own <= i < len(inputs) and tensor is inputs[i]
            if tensor._id in self.arguments if scope is None else not (own and passed_on):
                name = self.names.unique(f"{scope or ''}Identity")
                identity = self.proto.node_def.add(name=name, op="Identity", input=[reference])
                identity.attr["T"].type = tensor._dtype.enum
                identity.attr["_output_shapes"].CopyFrom(_shapes([tensor._dims]))
                reference = f"{name}:output:0"
            output = argument_name(reference.split(":")[0])
            output = self._unique_output(output)
            self.proto.signature.output_arg.add(name=output, type=tensor._dtype.enum)
            self.proto.ret[output] = reference

    def _unique_output(self, name: str) -> str:
        taken = {a.name for a in self.proto.signature.output_arg} | {a.name for a in self.proto.signature.input_arg}
        candidate, n = name, 0
        while candidate in taken:
            n += 1
            candidate = f"{name}_{n}"
        return candidate

    def _write_effects(self, order: Order) -> None:
        for node in order.must_run:
            name = self.node_names[node]
            self.proto.signature.control_output.append(name)
            self.proto.control_ret[name] = name
        effects = graph_effects(self.graph)
        self.proto.signature.is_stateful = (
            effects.must_run or bool(effects.reads) or any(n.record.hidden_counter for n in self.graph.nodes)
        )


def _shapes(dims: Sequence[Dims | None]) -> Proto:
    return encode_attr("list(shape)", dims, None)
