"""Shapes, slices, gathers and scatters."""

from __future__ import annotations

from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import Node, OnnxError, dims, known, positive, rank, scalar
from reflow.onnx.operators.math import unsigned_up
from reflow.onnx.table import operator
from reflow.onnx.values import known_constant


@operator("Constant")
def constant(node: Node) -> Any:
    for name, dtype in (
        ("value_float", tf.float32), ("value_floats", tf.float32), ("value_int", tf.int64), ("value_ints", tf.int64),
        ("value_string", tf.string), ("value_strings", tf.string),
    ):
        if name in node:
            return known_constant(node.get(name), dtype)
    if "sparse_value" in node:
        from reflow.onnx.reader import dense

        return dense(node.get("sparse_value"), None)
    return node.get("value")


@operator("ConstantOfShape")
def constant_of_shape(node: Node, shape: Any) -> Any:
    value = node.get("value")
    return tf.fill(shape, tf.zeros([], tf.float32) if value is None else tf.reshape(value, []))


@operator("Shape")
def shape(node: Node, x: Any) -> Any:
    """Computed at once where all lengths are known."""
    part = slice(node.get("start", 0), node.get("end"))
    found = dims(x)
    return known_constant(found[part], tf.int64) if isinstance(found, list) else found[part]


@operator("Size")
def size(node: Node, x: Any) -> Any:
    found = dims(x)
    return (
        known_constant(int(np.prod(found, dtype=np.int64)), tf.int64) if isinstance(found, list)
        else tf.reduce_prod(found)
    )


@operator("Reshape")
def reshape(node: Node, x: Any, shape: Any) -> Any:
    """0 keeps a length, unless `allowzero`; -1 is what remains."""
    wanted = known(shape)
    if wanted is None:
        if not node.get("allowzero", 0):
            old = tf.concat([tf.shape(x, tf.int64), tf.zeros_like(shape)], 0)[: tf.shape(shape)[0]]
            shape = tf.where(shape == 0, old, shape)
        return tf.reshape(x, shape)
    lengths = wanted.tolist()
    if not node.get("allowzero", 0) and 0 in lengths:
        old = x.shape.as_list()
        kept = [old[i] if n == 0 else n for i, n in enumerate(lengths)]
        if None in kept:
            if kept.count(None) == 1 and -1 not in kept:
                kept = [-1 if n is None else n for n in kept]
            else:
                kept = tf.stack(
                    [tf.shape(x, tf.int64)[i] if n is None else tf.constant(n, tf.int64) for i, n in enumerate(kept)]
                )
        return tf.reshape(x, kept)
    return tf.reshape(x, lengths)


@operator("Flatten")
def flatten(node: Node, x: Any) -> Any:
    axis = positive(node.get("axis", 1), rank(x))
    old = x.shape.as_list()
    if None not in old[:axis]:
        return tf.reshape(x, [int(np.prod(old[:axis], dtype=np.int64)), -1]) if 0 not in old else tf.reshape(
            x, [int(np.prod(old[:axis], dtype=np.int64)), int(np.prod(old[axis:], dtype=np.int64))])  # fmt: skip
    if None not in old[axis:]:
        return tf.reshape(x, [-1, int(np.prod(old[axis:], dtype=np.int64))])
    now = tf.shape(x, tf.int64)
    return tf.reshape(x, tf.stack([tf.reduce_prod(now[:axis]), tf.reduce_prod(now[axis:])]))


@operator("Squeeze")
def squeeze(node: Node, x: Any, axes: Any = None) -> Any:
    found = node.axes(axes)
    return tf.squeeze(x, found) if found or found is None else x


@operator("Unsqueeze")
def unsqueeze(node: Node, x: Any, axes: Any = None) -> Any:
    found = node.axes(axes) or []
    total = rank(x) + len(found)
    for axis in sorted(positive(a, total) for a in found):
        x = tf.expand_dims(x, axis)
    return x


@operator("Transpose")
def transpose(node: Node, x: Any) -> Any:
    return tf.transpose(x, node.get("perm"))


@operator("Concat")
def concat(node: Node, *inputs: Any) -> Any:
    return tf.concat(list(inputs), node.get("axis", 1))


@operator("Split")
def split(node: Node, x: Any, sizes: Any = None) -> Any:
    """Splits by sizes, or into equal parts of which the last may be smaller."""
    axis = positive(node.get("axis", 0), rank(x))
    given = node.get("split") if sizes is None else known(sizes)
    count = node.get("num_outputs", len(node.outputs))
    if sizes is not None and given is None:
        return tuple(tf.split(x, sizes, axis, num=len(node.outputs)))
    if given is not None:
        return tuple(tf.split(x, [int(n) for n in given], axis))
    length = x.shape[axis]
    if length is None:
        return tuple(tf.split(x, count, axis))
    part = -(-length // count)
    return tuple(tf.split(x, [part] * (count - 1) + [length - part * (count - 1)], axis))


@operator("Slice")
def slice_(node: Node, x: Any, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None) -> Any:
    """NumPy's slices. Before operator set 10 the limits are attributes."""
    if starts is None:
        starts, ends = (tf.constant(node.get(name), tf.int64) for name in ("starts", "ends"))
        axes = tf.constant(node.get("axes"), tf.int64) if "axes" in node else None
    count = starts.shape[0]
    along = range(count) if axes is None else [positive(int(a), rank(x)) for a in node.value(axes, "axes")]
    strides = [1] * count if steps is None else [int(s) for s in node.value(steps, "steps")]
    first, last = known(starts), known(ends)
    index: list[Any] = [slice(None)] * rank(x)
    for i, axis in enumerate(along):
        stride = strides[i]
        begin = starts[i] if first is None else int(first[i])
        end = ends[i] if last is None else int(last[i])
        if not isinstance(begin, int) or not isinstance(end, int):
            begin, end = _inside(x, axis, begin, end, stride)
        elif stride < 0 and x.shape[axis] is not None:
            begin, end, _ = slice(begin, end, stride).indices(x.shape[axis])
            end = None if end < 0 else end
        else:
            begin, end = _bounded(begin), _bounded(end)
            end = None if stride < 0 and end <= -(2**31) + 1 else end
        index[axis] = slice(begin, end, stride)
    return x[tuple(index)]


def _bounded(number: int) -> int:
    """ONNX writes 2**63 - 1 for "to the end"."""
    return max(min(number, 2**31 - 1), -(2**31) + 1)


def _inside(x: Any, axis: int, begin: Any, end: Any, stride: int) -> tuple[Any, Any]:
    """Limits that are computed, moved into the tensor."""
    length = tf.shape(x, tf.int64)[axis]
    begin, end = (tf.cast(t, tf.int64) for t in (begin, end))
    begin, end = (tf.where(t < 0, t + length, t) for t in (begin, end))
    if stride > 0:
        return tuple(tf.clip_by_value(t, 0, length) for t in (begin, end))  # type: ignore[return-value]
    begin, end = tf.clip_by_value(begin, 0, length - 1), tf.clip_by_value(end, -1, length - 1)
    return begin, tf.where(end < 0, end - length - 1, end)


@operator("Pad")
def pad(node: Node, x: Any, pads: Any = None, value: Any = None, axes: Any = None) -> Any:
    """Before operator set 11 the amounts are an attribute. Negative amounts cut."""
    amounts = node.get("pads") if pads is None else node.value(pads, "pads").tolist()
    along = list(range(rank(x))) if axes is None else [positive(int(a), rank(x)) for a in node.value(axes, "axes")]
    half = len(amounts) // 2
    table = [[0, 0] for _ in range(rank(x))]
    for i, axis in enumerate(along):
        table[axis] = [int(amounts[i]), int(amounts[i + half])]
    if any(n < 0 for row in table for n in row):
        x = x[tuple(slice(max(-a, 0), -max(-b, 0) or None) for a, b in table)]
        table = [[max(a, 0), max(b, 0)] for a, b in table]
    mode = node.get("mode", "constant")
    if mode == "constant":
        fill = scalar(node.get("value", 0.0), x) if value is None and x.dtype.is_floating else value
        fill = tf.zeros([], x.dtype) if fill is None else tf.reshape(fill, [])
        return unsigned_up(lambda t: tf.pad(t, table, constant_values=tf.cast(fill, t.dtype)), x)
    if mode in ("edge", "wrap"):
        return _gather_pad(x, table, mode)
    return tf.pad(x, table, mode)


def _gather_pad(x: Any, table: list[list[int]], mode: str) -> Any:
    for axis, (before, after) in enumerate(table):
        if before or after:
            length = tf.shape(x)[axis]
            places = tf.range(-before, length + after)
            places = tf.clip_by_value(places, 0, length - 1) if mode == "edge" else tf.math.floormod(places, length)
            x = tf.gather(x, places, axis=axis)
    return x


@operator("Expand")
def expand(node: Node, x: Any, shape: Any) -> Any:
    """Both shapes are broadcast to each other."""
    wanted = known(shape)
    if wanted is not None and x.shape.is_fully_defined():
        return tf.broadcast_to(x, np.broadcast_shapes(tuple(x.shape.as_list()), tuple(int(n) for n in wanted)))
    return tf.broadcast_to(x, tf.broadcast_dynamic_shape(tf.shape(x, tf.int64), shape))


@operator("Tile")
def tile(node: Node, x: Any, repeats: Any) -> Any:
    return tf.tile(x, repeats)


@operator("Where")
def where(node: Node, condition: Any, x: Any, y: Any) -> Any:
    return tf.where(condition, x, y)


@operator("Range")
def range_(node: Node, start: Any, limit: Any, delta: Any) -> Any:
    return unsigned_up(lambda *t: tf.range(*t), tf.reshape(start, []), tf.reshape(limit, []), tf.reshape(delta, []))


@operator("OneHot")
def one_hot(node: Node, indices: Any, depth: Any, values: Any) -> Any:
    size = tf.cast(tf.reshape(depth, []), tf.int64)
    places = tf.cast(indices, tf.int64)
    places = tf.where(places < 0, places + size, places)
    fixed = known(depth)
    count = tf.cast(size, tf.int32) if fixed is None else int(np.ravel(fixed)[0])
    return tf.one_hot(places, count, values[1], values[0], axis=positive(node.get("axis", -1), rank(indices) + 1))


# --- gathers and scatters


def from_front(indices: Any, length: Any) -> Any:
    """Indices counted from the front, where negative ones count from the end."""
    value = known(indices)
    if value is not None and np.all(value >= 0):
        return indices
    return tf.where(indices < 0, indices + tf.cast(length, indices.dtype), indices)


@operator("Gather")
def gather(node: Node, x: Any, indices: Any) -> Any:
    axis = positive(node.get("axis", 0), rank(x))
    return tf.gather(x, from_front(indices, tf.shape(x)[axis]), axis=axis)


def _grid(indices: Any, axis: int) -> Any:
    """For each entry of `indices` its position in the data: as its own, but along `axis` what it says."""
    lengths = tf.shape(indices, tf.int64)
    parts = tf.meshgrid(*[tf.range(lengths[i]) for i in range(rank(indices))], indexing="ij")
    parts[axis] = tf.cast(indices, tf.int64)
    return tf.stack(parts, -1)


@operator("GatherElements")
def gather_elements(node: Node, x: Any, indices: Any) -> Any:
    axis = positive(node.get("axis", 0), rank(x))
    return tf.gather_nd(x, _grid(from_front(indices, tf.shape(x)[axis]), axis))


@operator("GatherND")
def gather_nd(node: Node, x: Any, indices: Any) -> Any:
    batch, depth = node.get("batch_dims", 0), indices.shape[-1]
    return tf.gather_nd(x, from_front(indices, tf.shape(x)[batch : batch + depth]), batch_dims=batch)


_UPDATES = {"none": tf.tensor_scatter_nd_update, "add": tf.tensor_scatter_nd_add, "max": tf.tensor_scatter_nd_max,
            "min": tf.tensor_scatter_nd_min}  # fmt: skip


def _update(node: Node, x: Any, places: Any, updates: Any) -> Any:
    how = node.get("reduction", "none")
    # the logarithm's sum, with signs counted apart, would lose digits: multiply one layer of updates after another
    if how == "mul":
        return _multiplied(x, places, updates)
    if how not in _UPDATES:
        raise OnnxError(f"{node}: unknown reduction {how!r}.")
    return _UPDATES[how](x, places, updates)


def _multiplied(x: Any, places: Any, updates: Any) -> Any:
    """Multiply entries by updates, one after the other; several may refer to one entry."""
    depth, count = places.shape[-1], rank(places) - 1
    rows = tf.reshape(places, tf.stack([-1, depth]))
    rest = tf.shape(updates)[count:]
    flat = tf.reshape(updates, tf.concat([[-1], rest], 0))

    def step(i: Any, t: Any) -> Any:
        return (
            i + 1, tf.tensor_scatter_nd_update(t, rows[i : i + 1], tf.gather_nd(t, rows[i : i + 1]) * flat[i : i + 1])
        )

    return tf.while_loop(lambda i, t: i < tf.shape(rows)[0], step, (tf.constant(0), x))[1]


@operator("ScatterND")
def scatter_nd(node: Node, x: Any, indices: Any, updates: Any) -> Any:
    return _update(node, x, from_front(indices, tf.shape(x)[: indices.shape[-1]]), updates)


@operator("ScatterElements", "Scatter")
def scatter_elements(node: Node, x: Any, indices: Any, updates: Any) -> Any:
    axis = positive(node.get("axis", 0), rank(x))
    return _update(node, x, _grid(from_front(indices, tf.shape(x)[axis]), axis), updates)


@operator("TensorScatter")
def tensor_scatter(node: Node, cache: Any, update: Any, start: Any = None) -> Any:
    """Rows of a batch of caches are written from a place of each row on, in a circle or not."""
    axis = positive(node.get("axis", -2), rank(cache))
    order = [0, axis, *[i for i in range(1, rank(cache)) if i != axis]]
    back = [order.index(i) for i in range(rank(cache))]
    rows, new = tf.transpose(cache, order), tf.transpose(update, order)
    batch, length = tf.shape(new)[0], tf.shape(new)[1]
    first = tf.zeros([batch], tf.int32) if start is None else tf.cast(start, tf.int32)
    places = first[:, None] + tf.range(length)[None, :]
    if node.get("mode", "linear") == "circular":
        places = places % tf.shape(rows)[1]
    index = tf.stack([tf.broadcast_to(tf.range(batch)[:, None], tf.shape(places)), places], -1)
    return tf.transpose(tf.tensor_scatter_nd_update(rows, index, new), back)


@operator("NonZero")
def non_zero(node: Node, x: Any) -> Any:
    return tf.transpose(tf.where(x if x.dtype == tf.bool else x != scalar(0, x)))


@operator("Compress")
def compress(node: Node, x: Any, condition: Any) -> Any:
    axis = node.get("axis")
    data = tf.reshape(x, [-1]) if axis is None else x
    return tf.gather(data, tf.where(condition)[:, 0], axis=axis or 0)


@operator("ReverseSequence")
def reverse_sequence(node: Node, x: Any, lengths: Any) -> Any:
    return tf.reverse_sequence(x, lengths, seq_axis=node.get("time_axis", 0), batch_axis=node.get("batch_axis", 1))


@operator("Unique")
def unique(node: Node, x: Any) -> Any:
    """Different entries, or slices along an axis: which, where each first stands, which each entry is, how often."""
    axis = node.get("axis")
    data, along = (tf.reshape(x, [-1]), 0) if axis is None else (x, positive(axis, rank(x)))
    values, index, counts = tf.raw_ops.UniqueWithCountsV2(x=data, axis=[along], out_idx=tf.int64)
    number = tf.shape(counts, tf.int64)[0]
    total = tf.shape(index, tf.int64)[0]
    first = tf.math.unsorted_segment_min(tf.range(total), index, number)
    if node.get("sorted", 1):
        order = _sorted_slices(tf.gather(data, first, axis=along), along)
        values, first, counts = tf.gather(values, order, axis=along), tf.gather(first, order), tf.gather(counts, order)
        index = tf.gather(tf.cast(tf.argsort(order), tf.int64), index)
    return values, first, index, counts


def _sorted_slices(x: Any, axis: int) -> Any:
    """The order in which slices along an axis are sorted, the first entry counting most.

    Stable sorts from the last entry to the first.
    """
    rows = tf.reshape(
        tf.transpose(x, [axis, *[i for i in range(rank(x)) if i != axis]]), tf.stack([tf.shape(x)[axis], -1])
    )

    def step(i: Any, order: Any) -> Any:
        column = tf.gather(rows[:, i], order)
        return i - 1, tf.gather(order, tf.argsort(column, stable=True))

    last = tf.shape(rows)[1] - 1
    return tf.while_loop(lambda i, order: i >= 0, step, (last, tf.range(tf.shape(rows)[0])))[1]


@operator("DepthToSpace")
def depth_to_space(node: Node, x: Any) -> Any:
    size = node.get("blocksize")
    batch, channels, height, width = (tf.shape(x)[i] for i in range(4))
    if node.get("mode", "DCR") == "DCR":
        parts, order = [batch, size, size, channels // size**2, height, width], [0, 3, 4, 1, 5, 2]
    else:
        parts, order = [batch, channels // size**2, size, size, height, width], [0, 1, 4, 2, 5, 3]
    spread = tf.transpose(tf.reshape(x, tf.stack(parts)), order)
    return tf.reshape(spread, tf.stack([batch, channels // size**2, height * size, width * size]))


@operator("SpaceToDepth")
def space_to_depth(node: Node, x: Any) -> Any:
    size = node.get("blocksize")
    batch, channels, height, width = (tf.shape(x)[i] for i in range(4))
    parts = tf.reshape(x, tf.stack([batch, channels, height // size, size, width // size, size]))
    order = [0, 3, 5, 1, 2, 4] if node.get("mode", "DCR") == "DCR" else [0, 1, 3, 5, 2, 4]
    return tf.reshape(tf.transpose(parts, order), tf.stack([batch, channels * size**2, height // size, width // size]))
