"""Rewrites a function graph: its nodes run again, one after the other, into a new graph, and *passes* change some on
the way.

Expressions of weights and constants are folded; identities and unneeded nodes are dropped; calls are inlined. A pass is
a function `(rewriter, node, inputs) -> outputs or None`; the first that returns outputs wins. The passes for all
precisions:

| pass | what it does |
|---|---|
| `compose_transposes` | merges two consecutive transpositions into one, or none |
| `sink_transposes` | elementwise ops work in the preceding convolution's layout; the transposition moves after them |
| `fold_scales` | folds a per-channel scale after a convolution (batch normalization) into its weights |
| `fold_paddings` | turns zero padding of an image into padding of the following convolution |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import reflow as tf
from reflow.core.tensor import EagerTensor
from reflow.graph.clone import graphs_in
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.graph.graph import Graph, Node
from reflow.ops import registry
from reflow.ops.dispatch import dispatch
from reflow.runtime.schedule import needed_nodes

SMALL = 16  # numbers: such a constant stays in the program, larger ones are its weights

CONST, TRANSPOSE = registry.get("Const"), registry.get("Transpose")
MULTIPLY, ADD, BIAS_ADD = registry.get("Mul"), registry.get("AddV2"), registry.get("BiasAdd")
DEPTHWISE = registry.get("DepthwiseConv2dNative")
CONVOLUTIONS = (registry.get("Conv2D"), registry.get("Conv3D"), DEPTHWISE)
PAD, PADDING = registry.get("Pad"), (registry.get("Conv2D"), DEPTHWISE)  # those that have a padding of any width

Pass = Callable[["Rewriter", Node, list[Any]], list[Any] | None]


class Rewriter:
    """One rewriting of a graph.

    `counts` says how often each pass did something, `uses` how often a tensor of the old graph is read.
    """

    def __init__(self, graph: FuncGraph, passes: Sequence[Pass] = ()) -> None:
        self.graph, self.passes = graph, passes
        self.counts: Counter[str] = Counter()
        self.uses: Counter[int] = Counter()
        self._constants: dict[int, Any] = {}

    def run(self) -> FuncGraph:
        """The new graph: arguments and outputs as before, weights as captures."""
        new = FuncGraph(self.graph.name)
        new.parent = None
        with new.as_default():
            values: dict[int, Any] = {}
            for tensor in self.graph.arguments:
                values[tensor._id] = new.add_input(tensor._dtype, tensor._dims, tensor.op.name)
            for outer, inner in self.graph.captures:
                values[inner._id] = outer
            self._nodes(self.graph, self.graph.outputs, values)
            outputs = [self.symbol(values[t._id]) for t in self.graph.outputs]
            outputs = [
                new_t if new_t.dtype == t._dtype else tf.cast(new_t, t._dtype)
                for new_t, t in zip(outputs, self.graph.outputs)
            ]
            new.set_outputs([tf.identity(t) if t.op.record is PLACEHOLDER else t for t in outputs])
        return new

    def _nodes(self, graph: FuncGraph, targets: Sequence[Any], values: dict[int, Any]) -> None:
        needed = needed_nodes(graph, targets, whole=True)
        for node in graph.nodes:
            if node in needed:
                self.uses.update(t._id for t in node.inputs)
        for t in targets:
            self.uses[t._id] += 1
        for node in graph.nodes:
            if node.record is PLACEHOLDER:
                continue
            if node not in needed:
                self.counts["dead nodes removed"] += 1
                continue
            inputs = [values[t._id] for t in node.inputs]
            if node.record.flow == "call":
                outputs = self._inline(node, inputs)
            else:
                outputs = self._visit(node, inputs)
            values.update((t._id, o) for t, o in zip(node.outputs, outputs, strict=True))

    def _inline(self, node: Node, inputs: list[Any]) -> list[Any]:
        inner = node.attrs["f"]
        values = {t._id: value for t, value in zip(inner.inputs, inputs, strict=True)}
        self._nodes(inner, inner.outputs, values)
        return [values[t._id] for t in inner.outputs]

    def _visit(self, node: Node, inputs: list[Any]) -> list[Any]:
        record = node.record
        if record.identity and len(inputs) == len(node.outputs):
            self.counts["identities removed"] += 1
            return inputs
        if record is CONST:
            return [EagerTensor(node.attrs["value"], node.attrs["dtype"])]
        reads_only = record.only_reads and is_known(inputs)  # a variable: the engine keeps the value that it has now
        a_list = any(t._dtype == tf.variant for t in node.outputs)  # of tensors: no weight, so a program makes it
        if (
            inputs and is_known(inputs) and (reads_only or not record.stateful) and not graphs_in(node.attrs)
            and not a_list
        ):
            self.counts["constants folded"] += 1
            with tf.init_scope():
                return self.outputs(node, inputs)
        for one in self.passes:
            outputs = one(self, node, inputs)
            if outputs is not None:
                return outputs
        return self.emit(node, inputs)

    def emit(self, node: Node, inputs: list[Any], **changed: Any) -> list[Any]:
        """Add a node like `node` on other inputs."""
        with tf.name_scope("".join(node.name.rpartition("/")[:2])):  # with the slash: the same scope again
            return self.outputs(node, [self.symbol(i) for i in inputs], **changed)

    @staticmethod
    def outputs(node: Node, inputs: list[Any], **changed: Any) -> list[Any]:
        record = node.record
        # a file's graph has all
        attrs = {k: v for k, v in {**node.attrs, **changed}.items() if k not in record.definition.inferred_attrs}
        made = dispatch(record, inputs, record.bind(attrs) if is_known(inputs) else attrs)
        return [made] if node.record.single else list(made)

    def symbol(self, value: Any) -> Any:
        """A value as a tensor of the new graph.

        Small constants are nodes, so that the compiler sees them; others are captured.
        """
        if not isinstance(value, EagerTensor) or (value.shape.num_elements() or 0) > SMALL or value.dtype.kind == "o":
            return value
        if value._id not in self._constants:
            graph = tf.compat.v1.get_default_graph()
            self._constants[value._id] = Graph.add(graph, CONST, (), {"value": value._host(), "dtype": value.dtype})
        return self._constants[value._id]


def is_known(values: Sequence[Any]) -> bool:
    return all(isinstance(v, EagerTensor) for v in values)


# --- passes


def order_of(tensor: Any) -> list[int] | None:
    """The order of the axes if a tensor is a transposition by a known one."""
    node = getattr(tensor, "op", None) if not isinstance(tensor, EagerTensor) else None
    if node is None or node.record is not TRANSPOSE:
        return None
    order = tf.get_static_value(node.inputs[1])
    return None if order is None else [int(i) for i in order]


def compose_transposes(rewriter: Rewriter, node: Node, inputs: list[Any]) -> list[Any] | None:
    if node.record is not TRANSPOSE or not isinstance(inputs[1], EagerTensor):
        return None
    before = order_of(inputs[0])
    if before is None:
        return None
    rewriter.counts["transpositions cancelled"] += 1
    order = [before[int(i)] for i in inputs[1].numpy()]
    source = inputs[0].op.inputs[0]
    return [source if order == sorted(order) else tf.transpose(source, order)]


def sink_transposes(rewriter: Rewriter, node: Node, inputs: list[Any]) -> list[Any] | None:
    """f(transpose(a), transpose(b)) is transpose(f(a, b)): constants are transposed back, when the engine is built."""
    if not node.record.elementwise or len(node.outputs) != 1 or node.outputs[0]._dims is None:
        return None
    orders = [order_of(i) for i in inputs]
    order = next((o for o in orders if o is not None), None)
    if order is None or len(order) != len(node.outputs[0]._dims):
        return None
    back = [order.index(i) for i in range(len(order))]
    moved = []
    for value, own in zip(inputs, orders):
        if own is not None and own != order:
            return None
        if own is not None:
            moved.append(value.op.inputs[0])
        elif isinstance(value, EagerTensor):
            moved.append(_turned(value, back))
        else:
            return None
    rewriter.counts["transpositions moved"] += 1
    (y,) = rewriter.emit(node, moved)
    return [tf.transpose(y, order)]


def _turned(value: EagerTensor, order: list[int]) -> Any:
    """A constant with all axes of what it is broadcast to, transposed."""
    with tf.init_scope():
        if value.shape.rank == 0:
            return value
        full = tf.reshape(value, [1] * (len(order) - len(value.shape)) + value.shape.as_list())
        return tf.transpose(full, order)


def fold_scales(rewriter: Rewriter, node: Node, inputs: list[Any]) -> list[Any] | None:
    """conv(x, w) * s is conv(x, w * s), and (conv(x, w) + b) * s is conv(x, w * s) + b * s, for a known number s for
    each channel, if nobody else wants what is multiplied."""
    if node.record is not MULTIPLY:
        return None
    for i, scale in enumerate(inputs):
        other, place = inputs[1 - i], node.inputs[1 - i]
        if not isinstance(scale, EagerTensor) or isinstance(other, EagerTensor) or rewriter.uses[place._id] != 1:
            continue
        order = order_of(other)
        inner = other if order is None else other.op.inputs[0]
        bias, conv = _taken_apart(inner)
        weights = _known_value(conv.op.inputs[1]) if conv.op.record in CONVOLUTIONS else None
        if weights is None:
            continue
        turned = scale if order is None else _turned(scale, [order.index(j) for j in range(len(order))])
        if turned.shape.num_elements() not in (1, turned.shape[-1] if turned.shape.rank else 1):
            continue
        with tf.init_scope():
            factor = tf.reshape(turned, [-1])
            scaled = weights * (tf.reshape(factor, [-1, weights.shape[-1]]) if _is_depthwise(conv, factor) else factor)
            offset = None if bias is None else bias * (factor if bias.shape.rank == 1 else turned)
        rewriter.counts["scales folded into weights"] += 1
        (y,) = rewriter.emit(conv.op, [conv.op.inputs[0], scaled])
        if offset is not None:
            (y,) = rewriter.emit(inner.op, [y, offset])
        return [y if order is None else tf.transpose(y, order)]
    return None


def fold_paddings(rewriter: Rewriter, node: Node, inputs: list[Any]) -> list[Any] | None:
    """A convolution of a zero-padded image that has no other use pads the image itself."""
    if node.record not in PADDING or isinstance(inputs[0], EagerTensor) or inputs[0].op.record is not PAD:
        return None
    if (
        node.attrs["padding"] != "VALID" or node.attrs.get("data_format", "NHWC") != "NHWC"
        or rewriter.uses[node.inputs[0]._id] != 1
    ):
        return None
    image, widths = inputs[0].op.inputs[0], tf.get_static_value(inputs[0].op.inputs[1])
    if widths is None or image._dims is None or np.any(widths[[0, -1]]) or np.any(widths < 0):
        return None
    rewriter.counts["paddings folded into convolutions"] += 1
    return rewriter.emit(
        node, [image, inputs[1]], padding="EXPLICIT", explicit_paddings=[int(n) for n in np.ravel(widths)]
    )


def _taken_apart(tensor: Any) -> tuple[Any, Any]:
    """The known number that a sum adds, and what it adds it to; None and the tensor itself if it is not such a sum."""
    channels_last = tensor.op.attrs.get("data_format", "NHWC") == "NHWC"
    if tensor.op.record is ADD or tensor.op.record is BIAS_ADD and channels_last:
        for i in range(2):
            bias = _known_value(tensor.op.inputs[i])
            if bias is not None:
                return bias, tensor.op.inputs[1 - i]
    return None, tensor


def _is_depthwise(tensor: Any, factor: Any) -> bool:
    """Whether weights are [*window, in, multiplier], so that a channel of the result is a pair of the last two axes."""
    return tensor.op.record is DEPTHWISE and factor.shape[0] > 1


def _known_value(tensor: Any) -> EagerTensor | None:
    """The value of a capture, or of a constant that is a node."""
    if tensor.op.record is CONST:
        return EagerTensor(tensor.op.attrs["value"], tensor.op.attrs["dtype"])
    return next((outer for outer, inner in tensor.graph.captures if inner is tensor), None)


STANDARD: tuple[Pass, ...] = (compose_transposes, fold_scales, fold_paddings, sink_transposes)


def optimised(graph: FuncGraph, passes: Sequence[Pass] = STANDARD, rounds: int = 2) -> tuple[FuncGraph, Counter[str]]:
    """A graph rewritten `rounds` times (a scale may reach its convolution only after a transposition has moved), and
    the counts."""
    counts: Counter[str] = Counter()
    for _ in range(rounds):
        rewriter = Rewriter(graph, passes)
        graph = rewriter.run()
        counts.update(rewriter.counts)
    return Rewriter(graph).run(), counts  # without what the passes left behind


def weights_of(graph: FuncGraph) -> list[np.ndarray]:
    """The weights of an optimised graph, in the order of its captures."""
    return [outer._host() for outer, _ in graph.captures]
