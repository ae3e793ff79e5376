"""Matrix products."""

from __future__ import annotations

import reflow as tf
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, exports
from reflow.onnx.writer import Scope, Value


def _turned(s: Scope, x: Value, turn: bool) -> Value:
    """The matrices of a value transposed, if they are to be."""
    order = list(range(x.rank))
    return s.transpose(x, [*order[:-2], order[-1], order[-2]]) if turn else x


@exports("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def matmul(s: Scope, node: Node, a: Value, b: Value) -> Value:
    if a.dtype.is_complex:
        raise Unexportable("ONNX has no complex products")
    turn_a, turn_b = (
        node.attrs.get(f"transpose_{n}", False) or node.attrs.get(f"adj_{m}", False)
        for n, m in (("a", "x"), ("b", "y"))
    )
    a, b = _turned(s, a, turn_a), _turned(s, b, turn_b)
    kind = node.outputs[0]._dtype
    if a.dtype in (tf.int8, tf.uint8) and kind == tf.int32:
        return s.op("MatMulInteger", a, b, dtype=tf.int32)
    return s.op("MatMul", s.cast(a, kind), s.cast(b, kind))


@exports("Einsum")
def einsum(s: Scope, node: Node, *inputs: Value) -> Value:
    return s.op("Einsum", *inputs, equation=node.attrs["equation"])
