"""Branches, loops and scans."""

from __future__ import annotations

from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import Node, OnnxError, known, moved, positive, rank
from reflow.onnx.table import operator
from reflow.onnx.values import known_constant


@operator("If")
def branch(node: Node, condition: Any) -> Any:
    """A branch that is known when the model is read leaves nothing of the other."""
    decided = known(condition)
    if decided is not None:
        return tuple(node.body("then_branch" if np.ravel(decided)[0] else "else_branch")())
    chosen = tf.cond(tf.reshape(condition, []), node.body("then_branch"), node.body("else_branch"))
    return tuple(chosen)


@operator("Loop")
def loop(node: Node, limit: Any, condition: Any, *carried: Any) -> Any:
    """Up to `limit` times and while the condition holds. Further results of the body are stacked."""
    body = node.body("body")
    bound = None if limit is None else known(limit)
    if any(isinstance(c, list) or c is None for c in carried):
        return _unrolled(node, body, bound, condition, carried)
    count = len(carried)
    stacked = len(node.outputs) - count
    most = None if limit is None else tf.cast(tf.reshape(limit, []), tf.int64)
    going = tf.constant(True) if condition is None else tf.reshape(condition, [])
    kinds = _kinds(body, carried, stacked) if stacked else []

    def step(i: Any, going: Any, *state: Any) -> tuple:
        values, arrays = state[:count], state[count:]
        going, *results = body(i, going, *values)
        written = [a.write(tf.cast(i, tf.int32), r) for a, r in zip(arrays, results[count:])]
        return (i + 1, tf.reshape(going, []), *results[:count], *written)

    def more(i: Any, going: Any, *state: Any) -> Any:
        return going if most is None else going & (i < most)

    size = 0 if bound is None else int(np.ravel(bound)[0])
    arrays = [tf.TensorArray(d, size=min(size, 1 << 16), dynamic_size=True, element_shape=s) for d, s in kinds]
    start = (tf.constant(0, tf.int64), going, *carried, *arrays)
    results = _while(more, step, start, count)
    ran = tf.cast(results[0], tf.int32)
    # an array is as long as the bound, the loop may have ended before
    return (*results[2 : 2 + count], *[_written(a, ran) for a, _ in zip(results[2 + count :], kinds)])


def _written(array: Any, count: Any) -> Any:
    return array.gather(tf.range(count))


def _kinds(body: Any, carried: tuple, stacked: int) -> list[tuple[Any, Any]]:
    """dtypes and shapes of what is stacked: the body is traced once to see."""
    graph = tf.function(lambda i, c, *v: body(i, c, *v)[1 + len(carried) :], autograph=False).get_concrete_function(
        tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.bool), *[tf.TensorSpec(c.shape, c.dtype) for c in carried]
    )
    return [(t.dtype, t.shape) for t in graph.outputs][:stacked]


def _while(more: Any, step: Any, start: tuple, count: int) -> Any:
    """A loop whose carried tensors keep their shapes or, if the body changes them, one in which they may have any."""
    try:
        return tf.while_loop(more, step, start)
    except ValueError:
        free = [
            tf.TensorShape([None] * rank(t)) if 2 <= i < 2 + count else getattr(t, "shape", None) if i < 2 else None
            for i, t in enumerate(start)
        ]
        shapes = tuple(f if i < 2 + count else tf.TensorShape(None) for i, f in enumerate(free))
        return tf.while_loop(more, step, start, shape_invariants=shapes)


def _unrolled(node: Node, body: Any, bound: Any, condition: Any, carried: tuple) -> tuple:
    """A loop that carries sequences: their number of elements is known, so it runs while the model is read."""
    if bound is None:
        raise OnnxError(
            f"{node}: a loop that carries a sequence must have a number of iterations that is "
            "known when the model is read."
        )
    values: list[Any] = list(carried)
    stacks: list[list[Any]] = [[] for _ in range(len(node.outputs) - len(values))]
    going = condition
    for i in range(int(np.ravel(bound)[0])):
        decided = True if going is None else known(going)
        if decided is None:
            raise OnnxError(
                f"{node}: the condition of a loop that carries a sequence must be known when the model is read."
            )
        if not np.ravel(decided)[0]:
            break
        going, *results = body(known_constant(i, tf.int64), known_constant(True, tf.bool), *values)
        values = results[: len(values)]
        for stack, r in zip(stacks, results[len(values) :]):
            stack.append(r)
    return (*values, *[tf.stack(s) for s in stacks])


@operator("Scan")
def scan(node: Node, *inputs: Any) -> Any:
    """A body over slices of inputs, with states; its further results are stacked."""
    body, number = node.body("body"), node.get("num_scan_inputs")
    if node.opset < 9:
        return _batched_scan(node, body, number, inputs[1:])
    count = len(inputs) - number
    states, scanned = inputs[:count], inputs[count:]
    axes = node.get("scan_input_axes", [0] * number)
    turned = node.get("scan_input_directions", [0] * number)
    rows = [moved(x, positive(a, rank(x)), 0) for x, a in zip(scanned, axes)]
    rows = [tf.reverse(r, [0]) if t else r for r, t in zip(rows, turned)]
    finals, stacks = _scan(body, states, rows)
    back = node.get("scan_output_directions", [0] * len(stacks))
    places = node.get("scan_output_axes", [0] * len(stacks))
    stacks = [tf.reverse(s, [0]) if t else s for s, t in zip(stacks, back)]
    return (*finals, *[moved(s, 0, positive(a, rank(s))) for s, a in zip(stacks, places)])


def _scan(body: Any, states: Any, rows: list[Any]) -> tuple[list, list]:
    count = len(states)

    def shape_of(t: Any) -> Any:
        return tf.TensorSpec(t.shape, t.dtype)

    graph = tf.function(lambda *v: body(*v), autograph=False).get_concrete_function(
        *[shape_of(s) for s in states], *[tf.TensorSpec(r.shape[1:], r.dtype) for r in rows]
    )
    kinds = [(t.dtype, t.shape) for t in graph.outputs[count:]]
    length = tf.shape(rows[0])[0]
    arrays = [tf.TensorArray(d, size=length, element_shape=s) for d, s in kinds]

    def step(i: Any, *carried: Any) -> tuple:
        results = body(*carried[:count], *[r[i] for r in rows])
        written = [a.write(i, r) for a, r in zip(carried[count:], results[count:])]
        return (i + 1, *results[:count], *written)

    _, *results = tf.while_loop(lambda i, *_: i < length, step, (tf.constant(0), *states, *arrays))
    return list(results[:count]), [a.stack() for a in results[count:]]


def _batched_scan(node: Node, body: Any, number: int, inputs: tuple) -> tuple:
    """Operator set 8: all inputs have a leading batch axis, and each row is scanned separately."""
    if "directions" in node and any(node.get("directions")):
        raise OnnxError(f"{node}: backward scans of operator set 8 are not converted.")
    count = len(inputs) - number
    batch = inputs[0].shape[0]
    if batch is None:
        raise OnnxError(f"{node}: the batch of a scan of operator set 8 must be known.")
    results = []
    for row in range(batch):
        finals, stacks = _scan(body, [s[row] for s in inputs[:count]], [x[row] for x in inputs[count:]])
        results.append([*finals, *stacks])
    return tuple(tf.stack(parts) for parts in zip(*results))
