"""Chooses the precision of each layer.

*Half precision* (FP16, BF16): every floating-point layer uses it, with exceptions. A layer stays in FP32 if it, or its
result, would overflow on samples (FP16 ends at 65,504), or if it sums many numbers (reductions, softmax). Casts are
inserted where the precision changes; the compiler fuses them.

*INT8*: products and convolutions with known weights. Weights have a scale per output channel, activations one from
calibration (or from `set_dynamic_range`); int8 products are summed in int32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import reflow as tf
from reflow.core.tensor import EagerTensor
from reflow.engine.program import Arrays, whole_function
from reflow.engine.rewrite import Rewriter
from reflow.graph.clone import copy_nodes
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Node
from reflow.ops import registry
from reflow.runtime.interpret import interpret

MATMUL, CONV = registry.get("MatMul"), registry.get("Conv2D")
#: a layer whose largest number comes within this factor of the end of FP16 stays in FP32
MARGIN = 2.0


def largest_numbers(graph: FuncGraph, samples: Sequence[Sequence[np.ndarray]]) -> dict[str, float]:
    """node name -> the largest absolute number that it gave for any sample; inputs too."""
    names, run = measured(graph, _largest)
    found: dict[str, float] = {}
    for sample in samples:
        for name, size in zip(names, run(sample, [0.0] * len(names)), strict=True):
            found[name] = max(found.get(name, 0.0), float(size))
    return found


def _largest(xp: Any, value: Any, _: Any) -> Any:
    sizes = xp.abs(xp.asarray(value, np.float32))
    return xp.max(sizes) if sizes.size else 0.0


def measured(
    graph: FuncGraph, measure: Callable[[Any, Any, Any], Any]
) -> tuple[list[str], Callable[[Arrays, list[float]], Sequence[Any]]]:
    """The names of the nodes that give floats, and a function of inputs and of a number for each name, which gives
    `measure(xp, value, number)` of each. It runs on the device, or is interpreted if the graph is not one program."""
    tensors = [t for n in graph.nodes for t in n.outputs if t._dtype.is_floating]
    names, watched = [t.op.name for t in tensors], _watching(graph, tensors)
    weights = [t._value for t in graph.external_captures]
    whole = whole_function(watched)
    if whole is None:
        return (
            names,
            lambda inputs, numbers: [
                measure(np, v, n) for v, n in zip(interpret(watched, [*inputs, *weights]), numbers)
            ],
        )
    compiled = jax.jit(lambda w, inputs, numbers: [measure(jnp, v, n) for v, n in zip(whole(w, inputs), numbers)])
    return names, lambda inputs, numbers: compiled(weights, inputs, numbers)


def _watching(graph: FuncGraph, tensors: Sequence[Any]) -> FuncGraph:
    """A copy of a graph that gives these tensors."""
    new = FuncGraph("watched")
    new.parent = None
    made = copy_nodes(graph.nodes, new, {})
    new.inputs = [made[t._id] for t in graph.inputs]
    new.outputs = [made[t._id] for t in tensors]
    return new


class HalfPrecision:
    """The pass that gives layers half precision. `kept` collects the layers that stay in FP32, with reasons."""

    def __init__(self, dtype: Any, largest: dict[str, float], wanted: dict[str, Any]) -> None:
        self.dtype, self.largest, self.wanted = dtype, largest, wanted
        self.kept: dict[str, str] = {}
        self.changed = 0

    def reason(self, node: Node, inputs: list[Any]) -> str | None:
        """Why a layer stays in FP32."""
        asked = next((kind for scope, kind in self.wanted.items() if node.name.startswith(f"{scope}/")), None)
        if asked is not None and asked.value == "float32":
            return "asked for"
        if node.record.flow:
            return "control flow"
        limit = float(np.finfo(np.float16).max) / MARGIN if self.dtype == tf.float16 else np.inf
        names = [node.name, *[t.op.name for t in node.inputs]]
        size = max((self.largest.get(n, 0.0) for n in names), default=0.0)
        if not size < limit:
            return f"its numbers reach {size:.3g}"
        reduces = not node.record.heavy and not node.record.elementwise and not node.record.moves
        return "it adds up many numbers" if reduces and any(t._dtype == tf.float32 for t in node.outputs) else None

    def __call__(self, rewriter: Rewriter, node: Node, inputs: list[Any]) -> list[Any] | None:
        """Inputs arrive in whatever precision their layers had; here they get this layer's."""
        floats = [t._dtype == tf.float32 for t in node.inputs]
        if not any(floats):
            if any(t._dtype == tf.float32 for t in node.outputs):
                return rewriter.emit(node, inputs)
            return None
        why = self.reason(node, inputs)
        target = tf.float32 if why is not None else self.dtype
        if why is not None:
            self.kept[node.name] = why
        else:
            self.changed += 1
        cast = [self._as(rewriter, value, target) if real else value for value, real in zip(inputs, floats)]
        return rewriter.emit(node, cast)

    @staticmethod
    def _as(rewriter: Rewriter, value: Any, dtype: Any) -> Any:
        if value.dtype == dtype:
            return value
        if isinstance(value, EagerTensor):
            with tf.init_scope():
                return tf.cast(value, dtype)
        return tf.cast(value, dtype)


class Int8:
    """The pass that makes products and convolutions with known weights integer products."""

    def __init__(self, ranges: dict[str, float]) -> None:
        self.ranges = ranges  # node name of an activation -> largest absolute number
        self.changed: list[str] = []

    def __call__(self, rewriter: Rewriter, node: Node, inputs: list[Any]) -> list[Any] | None:
        if (
            node.record not in (MATMUL, CONV) or not isinstance(inputs[1], EagerTensor)
            or isinstance(inputs[0], EagerTensor)
        ):
            return None
        limit = self.ranges.get(node.inputs[0].op.name, 0.0)
        if not limit or not np.isfinite(limit) or inputs[0].dtype != tf.float32:
            return None
        turned = node.record is MATMUL and (node.attrs.get("transpose_a") or node.attrs.get("transpose_b"))
        dilated = node.record is CONV and any(d != 1 for d in node.attrs.get("dilations") or ())
        if turned or dilated or node.attrs.get("data_format", "NHWC") != "NHWC":
            return None
        self.changed.append(node.name)
        scale = limit / 127.0
        with tf.name_scope(node.name):
            x = tf.cast(tf.clip_by_value(tf.round(inputs[0] * (1.0 / scale)), -127.0, 127.0), tf.int8)
            if node.record is MATMUL:
                return [_int8_product(rewriter, x, inputs[1], scale)]
            return [self._convolution(rewriter, node, x, inputs[1], scale)]

    @staticmethod
    def _convolution(rewriter: Rewriter, node: Node, x: Any, weights: Any, scale: float) -> Any:
        """Windows side by side, then one product: a convolution has no kernel for integers."""
        height, width, _, out = weights.shape.as_list()
        pads = node.attrs.get("explicit_paddings") or ()
        if node.attrs["padding"] == "EXPLICIT":
            x = tf.pad(x, np.reshape(pads, (4, 2)).tolist())
        padding = "VALID" if node.attrs["padding"] == "EXPLICIT" else node.attrs["padding"]
        strides = list(node.attrs["strides"])
        seen = tf.image.extract_patches(x, [1, height, width, 1], strides, [1, 1, 1, 1], padding)
        with tf.init_scope():
            flat = tf.reshape(weights, [-1, out])
        rows = tf.reshape(seen, [-1, flat.shape[0]])
        shape = tf.concat([tf.shape(seen)[:3], [out]], 0)
        return tf.reshape(_int8_product(rewriter, rows, flat, scale), shape)


def _int8_product(rewriter: Rewriter, x: Any, weights: Any, scale: float) -> Any:
    """int8 times int8, summed in int32, with the scales of activations and of each column of the weights."""
    with tf.init_scope():
        columns = np.maximum(np.max(np.abs(weights.numpy()), 0), 1e-12) / 127.0
        quantised = tf.constant(np.clip(np.round(weights.numpy() / columns), -127, 127).astype(np.int8))
        factors = tf.constant((columns * scale).astype(np.float32))
    sums = tf.matmul(x, quantised, output_type=tf.int32)
    return tf.cast(sums, tf.float32) * rewriter.symbol(factors)
