"""Reads ONNX graphs: nodes become Reflow's ops, one conversion after the other.

*Scopes.* A reader walks through a graph's nodes with a table name -> value. A subgraph (a branch, a loop's body) has
its own table, which falls back to that of the surrounding graph; Reflow's control flow captures values from there.

*Constant folding.* A node all of whose inputs are known (weights, constants, the shape of a tensor with fixed sizes) is
computed while the model is read. So shape arithmetic disappears, and conversions can request values.

*Functions.* An operator without a conversion is looked up among the model's functions, then among those with which ONNX
itself defines operators; its nodes are read in its place. Operators found in neither are collected from the whole model
and named in one error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import reflow as tf
from reflow.core.tensor import EagerTensor
from reflow.onnx import table
from reflow.onnx.node import Node, OnnxError
from reflow.onnx.package import onnx
from reflow.onnx.values import dtype_of, number_of, tensor_of

MAX_DEPTH = 50  # graphs within graphs, functions within functions

Values = dict[str, Any]


class UnknownOperators(OnnxError):
    """Operators that have no conversion, all at once, each with the names of its nodes."""

    def __init__(self, found: dict[str, list[str]]) -> None:
        self.operators = found
        lines = [
            f"  {operator}: {', '.join(names[:5])}{' …' if len(names) > 5 else ''}"
            for operator, names in sorted(found.items())
        ]
        super().__init__("The model uses operators that Reflow cannot convert (operator: nodes):\n" + "\n".join(lines))


class Reader:
    """Reads the graphs of one model."""

    def __init__(
        self, model: Any, folder: str | None = None, around: Callable[[Any, Callable[[], Any]], Any] | None = None
    ) -> None:
        self.model, self.folder = model, folder
        self.opsets = {table.canonical(o.domain): o.version for o in model.opset_import}
        self.functions = {(table.canonical(f.domain), f.name, getattr(f, "overload", "")): f for f in model.functions}
        # called for each node of the main graph, with what converts it: the engine makes layers of them
        self._around = around
        self._depth = 0

    # --- looking before reading

    def check(self) -> None:
        """Raise one error that names every operator without a conversion."""
        unknown: dict[str, list[str]] = {}
        for proto in _all_nodes(self.model):
            if self._conversion(proto) is None and self._function(proto, self.opsets, ()) is None:
                name = f"{proto.domain}.{proto.op_type}" if proto.domain else proto.op_type
                unknown.setdefault(name, []).append(proto.name or (proto.output[0] if proto.output else "?"))
        if unknown:
            raise UnknownOperators(unknown)

    def _conversion(self, proto: Any) -> table.Conversion | None:
        return None if self._own_function(proto) is not None else table.conversion(proto.domain, proto.op_type)

    def _own_function(self, proto: Any) -> Any:
        return self.functions.get((table.canonical(proto.domain), proto.op_type, getattr(proto, "overload", "")))

    def _function(self, proto: Any, opsets: dict[str, int], types: Sequence[Any]) -> Any:
        """The function of the model, or of ONNX itself, by which an operator is defined."""
        own = self._own_function(proto)
        if own is not None:
            return own
        domain = table.canonical(proto.domain)
        try:
            schema = onnx().defs.get_schema(proto.op_type, opsets.get(domain, 1), domain)
        except onnx().defs.SchemaError:
            return None
        if schema.has_function:
            return schema.function_body
        if not schema.has_context_dependent_function:
            return None
        if not types:
            return schema  # it has one, which depends on the types of its inputs
        text = schema.get_context_dependent_function(proto.SerializeToString(), [t.SerializeToString() for t in types])
        return onnx().FunctionProto.FromString(text)

    # --- reading

    def constants(self, graph: Any) -> Values:
        """The weights of a graph."""
        found = {t.name: tensor_of(t, self.folder) for t in graph.initializer}
        for sparse in graph.sparse_initializer:
            found[sparse.values.name] = dense(sparse, self.folder)
        return found

    def read(self, graph: Any, values: Values) -> list[Any]:
        """Read a graph's nodes, given the values of its inputs; the values of its outputs."""
        values = {**self.constants(graph), **values}
        self._read_nodes(graph.node, values, self.opsets)
        return [_lookup(values, o.name, "the graph's outputs") for o in graph.output]

    def _read_nodes(self, nodes: Iterable[Any], values: Values, opsets: dict[str, int]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise OnnxError(f"Graphs and functions are nested more than {MAX_DEPTH} deep.")
        try:
            for proto in nodes:
                self._read_node(proto, values, opsets)
        finally:
            self._depth -= 1

    def _read_node(self, proto: Any, values: Values, opsets: dict[str, int]) -> None:
        inputs = [None if name == "" else _lookup(values, name, proto.name or proto.op_type) for name in proto.input]
        convert = self._conversion(proto)
        if convert is None:
            results: Sequence[Any] = self._call(proto, inputs, opsets)
        else:
            node = Node(
                proto, opsets.get(table.canonical(proto.domain), 1), lambda g: self._subgraph(g, values), self.folder
            )
            results = self._convert(proto, convert, node, inputs)
        for name, value in zip(proto.output, results, strict=False):
            if name:
                values[name] = value

    def _convert(self, proto: Any, convert: table.Conversion, node: Node, inputs: list[Any]) -> Sequence[Any]:
        def run() -> Any:
            try:
                if _is_known(proto, inputs):
                    with tf.init_scope():
                        return convert(node, *inputs)
                return convert(node, *inputs)
            except OnnxError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever is wrong with a model, the node is named
                raise OnnxError(f"{node}: {error}") from error

        if self._around is not None and self._depth == 1:
            result = self._around(proto, run)
        else:
            result = run()
        return result if isinstance(result, tuple) else (result,)

    def _subgraph(self, graph: Any, outer: Values) -> Callable[..., list]:
        """A graph among a node's attributes as a function."""

        def call(*inputs: Any) -> list[Any]:
            names = [i.name for i in graph.input]
            return self.read(graph, {**outer, **dict(zip(names, inputs, strict=False))})

        return call

    def _call(self, proto: Any, inputs: list[Any], opsets: dict[str, int]) -> list[Any]:
        """Read the nodes of a function in place of the node that calls it."""
        function = self._function(proto, opsets, [_type_of(value) for value in inputs])
        if function is None:
            raise UnknownOperators({proto.op_type: [proto.name]})
        inner = dict(zip(function.input, inputs, strict=False))
        for name in list(function.input)[len(inputs) :]:
            inner[name] = None
        versions = {table.canonical(o.domain): o.version for o in function.opset_import} or opsets
        nodes = [_with_attributes(node, proto, function) for node in function.node]
        self._read_nodes(nodes, inner, {**opsets, **versions})
        return [
            _lookup(inner, name, proto.op_type) if wanted else None
            for name, wanted in zip(function.output, proto.output, strict=False)
        ]


def dense(sparse: Any, folder: str | None) -> Any:
    """A sparse initializer as an ordinary tensor."""
    values, indices = tensor_of(sparse.values, folder), tensor_of(sparse.indices, folder)
    shape = list(sparse.dims)
    if indices.shape.rank == 1:
        return tf.reshape(tf.scatter_nd(indices[:, None], values, [_product(shape)]), shape)
    return tf.scatter_nd(indices, values, shape)


def _product(numbers: Iterable[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def _lookup(values: Values, name: str, where: str) -> Any:
    if name not in values:
        raise OnnxError(f"{where} needs the tensor {name!r}, which no node before it makes.")
    return values[name]


def _is_known(proto: Any, inputs: list[Any]) -> bool:
    """Whether a node's result follows from constants: then it is computed now."""
    if table.is_random(proto.domain, proto.op_type) or any(a.HasField("g") for a in proto.attribute):
        return False
    flat = tf.nest.flatten([i for i in inputs if i is not None])
    return all(isinstance(value, EagerTensor) for value in flat)


def _type_of(value: Any) -> Any:
    """ONNX' TypeProto of a value, for functions that depend on it."""
    if value is None:
        return onnx().TypeProto()
    if isinstance(value, list):
        return onnx().helper.make_sequence_type_proto(_type_of(value[0]))
    shape = value.shape.as_list() if value.shape.rank is not None else None
    return onnx().helper.make_tensor_type_proto(number_of(value.dtype), shape)


def _with_attributes(node: Any, call: Any, function: Any) -> Any:
    """A node of a function with the call's attributes in the place of references to them."""
    given = {a.name: a for a in getattr(function, "attribute_proto", ())}
    given.update((a.name, a) for a in call.attribute)
    copy = type(node).FromString(node.SerializeToString())
    del copy.attribute[:]
    for attribute in node.attribute:
        source = given.get(attribute.ref_attr_name) if attribute.ref_attr_name else attribute
        if source is not None:
            added = copy.attribute.add()
            added.CopyFrom(source)
            added.name = attribute.name
            _replace_in_graph(added, call, function)
    return copy


def _replace_in_graph(attribute: Any, call: Any, function: Any) -> None:
    if attribute.HasField("g"):
        nodes = [_with_attributes(node, call, function) for node in attribute.g.node]
        del attribute.g.node[:]
        attribute.g.node.extend(nodes)


def _all_nodes(model: Any) -> Iterator[Any]:
    """The nodes of a model, of the graphs inside its nodes, and of its functions."""
    waiting = [*model.graph.node, *(n for f in model.functions for n in f.node)]
    while waiting:
        node = waiting.pop()
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                waiting.extend(attribute.g.node)


def input_spec(info: Any) -> tf.TensorSpec | None:
    """The spec of a graph's input; lengths that have a name, or nothing, are unknown.

    None for sequences and optional values.
    """
    if not info.type.HasField("tensor_type"):
        return None
    kind = info.type.tensor_type
    shape = None
    if kind.HasField("shape"):
        # some write -1
        shape = [d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None for d in kind.shape.dim]
    return tf.TensorSpec(shape, dtype_of(kind.elem_type), info.name)
