"""Reductions, and positions of extrema."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import reflow as tf
from reflow.graph.graph import Node
from reflow.onnx.export_table import exports
from reflow.onnx.writer import Scope, Value

OPERATORS = {
    "Sum": "ReduceSum", "Mean": "ReduceMean", "Prod": "ReduceProd", "Max": "ReduceMax", "Min": "ReduceMin",
    "EuclideanNorm": "ReduceL2",
}


def _reduced(s: Scope, operator: str, node: Node, x: Value, axes: Value) -> Value:
    """ONNX takes a list of axes, and an empty one for none."""
    axes = s.cast(axes, tf.int64)
    if axes.known:
        listed: list[int] | Value = axes.ints()
    else:
        listed = s.reshape(axes, [-1])
    keep = int(bool(node.attrs.get("keep_dims", False)))
    return s.op(operator, x, listed, keepdims=keep, noop_with_empty_axes=1)


def _reduction(operator: str) -> Callable[..., Value]:
    def convert(s: Scope, node: Node, x: Value, axes: Value) -> Value:
        return _reduced(s, operator, node, x, axes)

    return convert


for _op, _operator in OPERATORS.items():
    exports(_op)(_reduction(_operator))


@exports("All", "Any")
def logical(s: Scope, node: Node, x: Value, axes: Value) -> Value:
    """ONNX has the least and the largest of numbers in place of these."""
    operator = OPERATORS["Min" if node.type == "All" else "Max"]
    return s.cast(_reduced(s, operator, node, s.cast(x, tf.int32), axes), tf.bool)


@exports("ArgMax", "ArgMin")
def place_of_extreme(s: Scope, node: Node, x: Value, axis: Value) -> Value:
    found = s.op(node.type, x, dtype=tf.int64, axis=axis.ints()[0], keepdims=0)
    return s.cast(found, node.attrs.get("output_type", tf.int64))


@exports("TopKV2", "TopK")
def top_k(s: Scope, node: Node, x: Value, k: Value | None = None) -> tuple[Value, Value]:
    count = [int(node.attrs["k"])] if k is None else s.reshape(s.cast(k, tf.int64), [1])
    values, places = s.ops("TopK", [x.dtype, tf.int64], x, count, axis=-1, largest=1, sorted=1)
    return values, s.cast(places, node.outputs[1]._dtype)


@exports("InTopKV2")
def in_top_k(s: Scope, node: Node, predictions: Value, targets: Value, k: Value) -> Value:
    """Whether fewer than k predictions of a row are larger than the target's."""
    own = s.op("GatherElements", predictions, s.unsqueeze(s.cast(targets, tf.int64), [1]), axis=1)
    larger = s.cast(s.op("Greater", predictions, own, dtype=tf.bool), tf.int64)
    count = s.op("ReduceSum", larger, [1], keepdims=0)
    return s.op("Less", count, s.cast(k, tf.int64))


@exports("L2Loss")
def half_of_squares(s: Scope, node: Node, x: Value) -> Value:
    return s.op("Mul", s.op("ReduceSumSquare", x, keepdims=0), s.number(np.float64(0.5), x))
