"""Activations, biases, softmax, normalization."""

from __future__ import annotations

import reflow as tf
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, exports
from reflow.onnx.exports.layouts import first, last
from reflow.onnx.writer import Scope, Value, constant


@exports("Softmax", "LogSoftmax")
def softmax(s: Scope, node: Node, x: Value) -> Value:
    return s.op(node.type, x, axis=-1)


@exports("BiasAdd")
def bias_add(s: Scope, node: Node, x: Value, bias: Value) -> Value:
    if node.attrs.get("data_format", "NHWC").startswith("NC"):
        bias = s.unsqueeze(bias, range(1, x.rank - 1))
    return s.op("Add", x, bias)


@exports("BiasAddV1")
def bias_add_v1(s: Scope, node: Node, x: Value, bias: Value) -> Value:
    return s.op("Add", x, bias)


@exports("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def batch_norm(
    s: Scope, node: Node, x: Value, scale: Value, offset: Value, mean: Value, variance: Value
) -> tuple[Value, ...]:
    """Normalization with given moments.

    Batch moments are for training, and the other outputs are unused in inference.
    """
    if node.attrs.get("is_training", True):
        raise Unexportable("it normalises by the moments of the batch, which is training")
    layout = node.attrs.get("data_format", "NHWC")
    epsilon = float(node.attrs.get("epsilon", 1e-4))
    kind = x.dtype
    numbers = [s.cast(v, kind) for v in (scale, offset, mean, variance)]
    y = last(s, s.op("BatchNormalization", first(s, x, layout), *numbers, epsilon=epsilon), layout, x.rank)
    return (y, mean, variance, *[s.number(0, mean)] * (len(node.outputs) - 3))


@exports("LRN")
def local_response_norm(s: Scope, node: Node, x: Value) -> Value:
    get = node.attrs.get
    size = 2 * int(get("depth_radius", 5)) + 1
    y = s.op("LRN", first(s, x, "NHWC"), size=size, alpha=float(get("alpha", 1.0)) * size, beta=float(get("beta", 0.5)),
             bias=float(get("bias", 1.0)))  # fmt: skip
    return last(s, y, "NHWC", x.rank)


@exports("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars")
def fake_quantise(s: Scope, node: Node, x: Value, low: Value | None = None, high: Value | None = None) -> Value:
    """Quantisation and back, by a scale and a zero point that are known."""
    least = float(node.attrs.get("min", -6.0)) if low is None else float(low.array)
    most = float(node.attrs.get("max", 6.0)) if high is None else float(high.array)
    start, end = int(bool(node.attrs.get("narrow_range", False))), 2 ** int(node.attrs.get("num_bits", 8)) - 1
    scale = (most - least) / (end - start)
    zero = min(max(round(start - least / scale), start), end)
    bounded = s.op("Clip", x, s.number((start - zero) * scale, x), s.number((end - zero) * scale, x))
    steps = s.op("Floor", s.op("Add", s.op("Div", bounded, s.number(scale, x)), s.number(0.5, x)))
    return s.op("Mul", steps, s.number(scale, x))


@exports("SparseSoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits")
def cross_entropy(s: Scope, node: Node, logits: Value, labels: Value) -> tuple[Value, Value]:
    """The loss of each row, and its gradient with respect to the logits."""
    logs = s.op("LogSoftmax", logits, axis=-1)
    if node.type.startswith("Sparse"):
        depth = s.op("Gather", s.shape(logits), s.number(-1, Value(tf.int64, ())), dtype=tf.int64)
        flags = s.op("OneHot", s.cast(labels, tf.int64), depth, constant([0, 1], tf.float32), dtype=tf.float32, axis=-1)
        labels = s.cast(flags, logits.dtype)
    loss = s.op("Neg", s.op("ReduceSum", s.op("Mul", labels, logs), [-1], keepdims=0))
    return loss, s.op("Sub", s.op("Exp", logs), labels)
