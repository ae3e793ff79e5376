"""Writes a function graph as an ONNX graph.

A *value* is a tensor of the graph: a known one (a weight, a constant, what is computed from them), or one that an ONNX
node produces. A *scope* is an ONNX graph under construction: the model's, or that of a branch or a loop's body, which
sees the values of the surrounding scopes. Nodes of our graph are written one after the other by their conversions
(`export_table.py`). Calls are inlined, expressions of weights are folded, and identities are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import reflow as tf
from reflow.core.dtypes import DType, as_dtype
from reflow.core.tensor import EagerTensor
from reflow.engine.rewrite import Rewriter, is_known
from reflow.graph.clone import graphs_in
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, conversion
from reflow.onnx.node import OnnxError
from reflow.onnx.package import onnx
from reflow.onnx.values import number_of
from reflow.ops import registry
from reflow.runtime.schedule import needed_nodes

CONST = registry.get("Const")
Dims = tuple[int | None, ...] | None


class UnexportableOps(OnnxError):
    """A function has ops that ONNX has no form of. `ops` maps each to pairs of a node's name and the reason."""

    def __init__(self, ops: dict[str, list[tuple[str, str]]]) -> None:
        self.ops = ops
        lines = [f"  {op}: {name} ({why})" for op, nodes in sorted(ops.items()) for name, why in nodes]
        super().__init__(f"{len(ops)} ops cannot be written to ONNX:\n" + "\n".join(lines))


class Value:
    """A tensor as conversions see it. `eager` is the tensor if its numbers are known, and `array` are these numbers."""

    def __init__(self, dtype: DType, dims: Dims, name: str = "", eager: EagerTensor | None = None) -> None:
        self.dtype, self.dims, self.name, self.eager = dtype, dims, name, eager

    @property
    def known(self) -> bool:
        return self.eager is not None

    @property
    def array(self) -> np.ndarray:
        """The numbers. They must be known."""
        if self.eager is None:
            raise Unexportable("an operand that must be known is computed from the inputs")
        return self.eager.numpy()

    @property
    def rank(self) -> int:
        if self.dims is None:
            raise Unexportable("the rank of an operand is not known")
        return len(self.dims)

    def ints(self) -> list[int]:
        """The numbers as a flat list."""
        return [int(n) for n in np.ravel(self.array)]


def constant(array: Any, dtype: DType | None = None) -> Value:
    """A value whose numbers are known."""
    with tf.init_scope():
        return of_tensor(tf.constant(array, dtype))


def _computed(function: Callable[..., Any], value: Value, *args: Any) -> Value:
    """A function of a known value, computed now."""
    with tf.init_scope():
        return of_tensor(function(value.eager, *args))


def of_tensor(tensor: EagerTensor) -> Value:
    return Value(tensor.dtype, tuple(tensor.shape.as_list()), eager=tensor)


def _operands(inputs: Sequence[Any]) -> list[Value | None]:
    """Values of what a conversion names as operands; integers of a list are ONNX' lengths and axes."""
    return [
        i if i is None or isinstance(i, Value) else constant(i, tf.int64 if isinstance(i, list) else None)
        for i in inputs
    ]


class Model:
    """What the scopes of one model share: weights, names, and what could not be written."""

    def __init__(self) -> None:
        self.weights: list[Any] = []
        self.unexportable: dict[str, list[tuple[str, str]]] = {}
        self._names: dict[str, int] = {}
        self._small: dict[tuple, str] = {}

    def fresh(self, wanted: str) -> str:
        """A name that no value or node has: `wanted`, or that with a number."""
        count = self._names.get(wanted, 0)
        self._names[wanted] = count + 1
        return wanted if not count else self.fresh(f"{wanted}_{count}")

    def add_weight(self, value: Value) -> str:
        """The name of the initializer that holds a known value; equal small ones are one."""
        array = value.array
        key = (value.dtype.name, array.shape, array.tobytes()) if array.size <= 16 and array.dtype != object else None
        if key is not None and key in self._small:
            return self._small[key]
        name = self.fresh("constant" if array.size <= 16 else "weight")
        self.weights.append(onnx().numpy_helper.from_array(array, name))
        if key is not None:
            self._small[key] = name
        return name


class Scope:
    """An ONNX graph under construction."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.nodes: list[Any] = []
        self._prefix = "node"
        self._made: dict[str, Any] = {}  # name of a value -> the node that makes it here

    # --- what conversions call

    def op(
        self, operator: str, *inputs: Any, dtype: DType | None = None, dims: Dims = None, **attributes: Any
    ) -> Value:
        """Add a node with one output.

        Inputs are values, arrays, lists of integers, or None; the dtype is the first's by default.
        """
        values = _operands(inputs)
        kind = dtype if dtype is not None else next(v.dtype for v in values if v is not None)
        (value,) = self.ops(operator, [kind], *values, **attributes)
        value.dims = dims
        return value

    def ops(self, operator: str, dtypes: Sequence[DType], *inputs: Any, **attributes: Any) -> list[Value]:
        """Add a node with an output for each dtype."""
        values = _operands(inputs)
        name = self.model.fresh(f"{self._prefix}/{operator}")
        names = [self.model.fresh(f"{name}:{i}") for i in range(len(dtypes))]
        operands = ["" if v is None else self.name_of(v) for v in values]
        made = onnx().helper.make_node(
            operator, operands, names, name=name, **{k: v for k, v in attributes.items() if v is not None}
        )
        self.nodes.append(made)
        self._made.update((n, (made, values)) for n in names)
        return [Value(kind, None, n) for kind, n in zip(dtypes, names, strict=True)]

    def name_of(self, value: Value) -> str:
        """The name by which nodes refer to a value."""
        if not value.name:
            value.name = self.model.add_weight(value)
        return value.name

    def made_by(self, value: Value) -> tuple[Any, list[Value]]:
        """The node of this scope that makes a value, and its operands; no node if it comes from elsewhere."""
        node, operands = self._made.get(value.name, (None, ()))
        return node, list(operands)

    def number(self, number: Any, like: Value) -> Value:
        """A scalar of the dtype of another value."""
        return constant(np.asarray(number, like.dtype.as_numpy_dtype))

    def cast(self, value: Value, dtype: Any) -> Value:
        dtype = as_dtype(dtype)
        if value.dtype == dtype:
            return value
        if value.known:
            return _computed(tf.cast, value, dtype)
        return self.op("Cast", value, dtype=dtype, dims=value.dims, to=number_of(dtype))

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        """The value with its axes in another order; a transposition of a transposition is one, or none."""
        order = list(order)
        if order == sorted(order):
            return value
        if value.known:
            return _computed(tf.transpose, value, order)
        made, operands = self.made_by(value)
        if made is not None and made.op_type == "Transpose":
            before = list(made.attribute[0].ints)
            return self.transpose(operands[0], [before[i] for i in order])
        dims = None if value.dims is None else tuple(value.dims[i] for i in order)
        return self.op("Transpose", value, dims=dims, perm=order)

    def reshape(self, value: Value, shape: Sequence[int] | Value) -> Value:
        """The value in a known shape, in which one length may be -1, or in one that is computed."""
        if isinstance(shape, Value) and not shape.known:
            return self.op("Reshape", value, self.cast(shape, tf.int64))
        numbers = shape.ints() if isinstance(shape, Value) else list(shape)
        if value.known:
            return _computed(tf.reshape, value, numbers)
        dims = tuple(None if n < 0 else n for n in numbers)
        return self.op("Reshape", value, numbers, dims=dims, allowzero=1 if 0 in numbers else None)

    def unsqueeze(self, value: Value, axes: Sequence[int]) -> Value:
        """The value with axes of length one at these places of the result."""
        return self.op("Unsqueeze", value, list(axes)) if axes else value

    def squeeze(self, value: Value, axes: Sequence[int]) -> Value:
        return self.op("Squeeze", value, list(axes)) if axes else value

    def shape(self, value: Value) -> Value:
        """The shape as int64."""
        if value.dims is not None and None not in value.dims:
            return constant(list(value.dims), tf.int64)
        return self.op("Shape", value, dtype=tf.int64)

    # --- graphs

    def write(self, graph: FuncGraph, inputs: Sequence[Value], targets: Sequence[Any] | None = None) -> list[Value]:
        """Write the nodes of a graph on given inputs; the values of its outputs, or of other tensors in it."""
        targets = graph.outputs if targets is None else targets
        values = {t._id: value for t, value in zip(graph.inputs, inputs, strict=True)}
        needed = needed_nodes(graph, targets, whole=True)
        for node in graph.nodes:
            if node in needed and node.record is not PLACEHOLDER:
                outputs = self._write_node(node, [values[t._id] for t in node.inputs])
                values.update((t._id, value) for t, value in zip(node.outputs, outputs, strict=True))
        return [values[t._id] for t in targets]

    def _write_node(self, node: Node, inputs: list[Value]) -> list[Value]:
        record = node.record
        if record is CONST:
            return [of_tensor(EagerTensor(node.attrs["value"], node.attrs["dtype"]))]
        if record.identity and len(inputs) == len(node.outputs):
            return inputs
        if record.flow == "call":
            return self.write(node.attrs["f"], inputs)
        return _static(node) or _folded(node, inputs) or self._converted(node, inputs)

    def _converted(self, node: Node, inputs: list[Value]) -> list[Value]:
        """The outputs of a node from its conversion. Without one they are undefined names: the error is raised after
        all nodes were seen.
        """
        convert = conversion(node.type)
        try:
            if convert is None:
                raise Unexportable("there is no conversion")
            self._prefix = node.name
            result = convert(self, node, *inputs)
            values = list(result) if isinstance(result, tuple) else [result]
            return [_typed(value, tensor) for value, tensor in zip(values, node.outputs, strict=True)]
        except Unexportable as error:
            self.model.unexportable.setdefault(node.type, []).append((node.name, str(error)))
            return [Value(t._dtype, t._dims, self.model.fresh("missing")) for t in node.outputs]

    def proto(
        self, name: str, inputs: Sequence[Value], outputs: Sequence[Value], weights: Sequence[Any] = (),
        shapes: bool = True,
    ) -> Any:
        """The GraphProto. A value that is not made here is copied, because an output must be."""
        copied = [v if v.name in self._made else self.op("Identity", v, dims=v.dims) for v in outputs]
        self._use_fresh_names(copied)
        helper = onnx().helper
        nodes, used = live_nodes(self.nodes, {v.name for v in copied})
        given = [helper.make_tensor_value_info(v.name, number_of(v.dtype), open_dims(v, shapes)) for v in inputs]
        results = [helper.make_tensor_value_info(v.name, number_of(v.dtype), open_dims(v, shapes)) for v in copied]
        return helper.make_graph(nodes, name, given, results, [w for w in weights if w.name in used])

    def _use_fresh_names(self, outputs: list[Value]) -> None:
        """A tensor that is two outputs needs two names."""
        seen: set[str] = set()
        for i, value in enumerate(outputs):
            if value.name in seen:
                outputs[i] = self.op("Identity", value, dims=value.dims)
            seen.add(value.name)


def _typed(value: Value, tensor: Any) -> Value:
    """A value with what our graph knows about its tensor.

    Lists are tensors here, and keep what they say about themselves.
    """
    if value.known or tensor._dtype == tf.variant:
        return value
    return Value(tensor._dtype, tensor._dims, value.name)


def live_nodes(nodes: Sequence[Any], wanted: set[str]) -> tuple[list[Any], set[str]]:
    """The nodes on which the wanted values depend, in order, and the names of all values that are used."""
    used, kept = set(wanted), []
    for node in reversed(nodes):
        if not used.isdisjoint(node.output):
            kept.append(node)
            used.update(_names_read(node))
    return kept[::-1], used


def _names_read(node: Any) -> Iterator[str]:
    """The names that a node reads, also those that the graphs inside it read."""
    yield from node.input
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield from (name for inner in attribute.g.node for name in _names_read(inner))
            yield from (output.name for output in attribute.g.output)


def open_dims(value: Value, shapes: bool = True) -> list[Any] | None:
    """A shape for ONNX: an open length is a name, "batch" for the first.

    Without shapes only a scalar is known to be one.
    """
    if value.dims is None or (value.dims and not shapes):
        return None
    return [n if n is not None else "batch" if i == 0 else f"{value.name}_{i}" for i, n in enumerate(value.dims)]


def _static(node: Node) -> list[Value] | None:
    """The outputs of a node that follow from shapes which are known."""
    if any(t._dtype.kind not in "iub" for t in node.outputs) or not node.outputs:
        return None
    found = [tf.get_static_value(t) for t in node.outputs]
    return None if any(f is None for f in found) else [constant(f, t._dtype) for f, t in zip(found, node.outputs)]


def _folded(node: Node, inputs: list[Value]) -> list[Value] | None:
    """The outputs of a node whose inputs are known, computed now. Lists of tensors stay nodes."""
    record, tensors = node.record, [value.eager for value in inputs]
    if (
        not inputs or not is_known(tensors) or graphs_in(node.attrs)
        or any(t._dtype == tf.variant for t in node.outputs)
    ):
        return None
    if record.stateful and not record.only_reads:
        return None
    with tf.init_scope():
        return [of_tensor(t) for t in Rewriter.outputs(node, tensors)]
