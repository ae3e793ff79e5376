"""Slices and padding."""

from __future__ import annotations

import numpy as np

import reflow as tf
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, exports
from reflow.onnx.writer import Scope, Value, constant

END = int(np.iinfo(np.int64).max)
START = int(np.iinfo(np.int64).min)


@exports("Slice")
def sized_slice(s: Scope, node: Node, x: Value, begin: Value, size: Value) -> Value:
    """A size of -1 means up to the end."""
    begin, size = s.cast(begin, tf.int64), s.cast(size, tf.int64)
    axes = list(range(x.rank))
    if begin.known and size.known:
        ends = [END if n < 0 else b + n for b, n in zip(begin.ints(), size.ints())]
        return s.op("Slice", x, begin.ints(), ends, axes)
    ends_ = s.op("Add", begin, size)
    if not size.known or -1 in size.ints():
        ends_ = s.op(
            "Where", s.op("Less", size, s.number(0, size), dtype=tf.bool), s.number(END, size), ends_, dtype=tf.int64
        )
    return s.op("Slice", x, begin, ends_, axes)


class _Subscripts:
    """The entries of a strided slice, one for each axis of the operand or of the result.

    `slices`, `picks` and `new` by axis.
    """

    def __init__(self, s: Scope, node: Node, x: Value, begin: Value, end: Value, strides: Value) -> None:
        self.scope, self.begin, self.end, self.steps = s, begin, end, strides.ints()
        self.masks = {
            n: int(node.attrs.get(f"{n}_mask", 0)) for n in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
        }
        count = len(self.steps)
        added = sum(self._has("new_axis", i) for i in range(count) if not self._has("ellipsis", i))
        ellipses = [i for i in range(count) if self._has("ellipsis", i)]
        covered = x.rank - (count - added - len(ellipses)) if ellipses else 0
        self.starts: list = []
        self.ends: list = []
        self.axes: list[int] = []
        self.strides: list[int] = []
        self.picked: list[tuple[int, Value]] = []  # axis of the operand, index
        self.new: list[int] = []  # axes of the result
        axis = made = 0
        for i in range(count):
            if self._has("ellipsis", i):
                axis, made = axis + covered, made + covered
            elif self._has("new_axis", i):
                self.new.append(made)
                made += 1
            elif self._has("shrink_axis", i):
                self.picked.append((axis, self._entry(self.begin, i)))
                axis += 1
            else:
                self._add_range(i, axis)
                axis, made = axis + 1, made + 1

    def _has(self, mask: str, i: int) -> bool:
        return bool(self.masks[mask] & (1 << i))

    def _entry(self, vector: Value, i: int) -> Value:
        """One of the numbers, as a scalar."""
        if vector.known:
            return constant(vector.ints()[i], tf.int64)
        return self.scope.cast(self.scope.op("Gather", vector, constant(i, tf.int64)), tf.int64)

    def _add_range(self, i: int, axis: int) -> None:
        step = self.steps[i]
        start = constant(0 if step > 0 else END, tf.int64) if self._has("begin", i) else self._entry(self.begin, i)
        stop = constant(END if step > 0 else START, tf.int64) if self._has("end", i) else self._entry(self.end, i)
        if step == 1 and self._has("begin", i) and self._has("end", i):
            return
        self.starts.append(start)
        self.ends.append(stop)
        self.axes.append(axis)
        self.strides.append(step)

    def vector(self, entries: list[Value]) -> Value | list[int]:
        if all(e.known for e in entries):
            return [e.ints()[0] for e in entries]
        return self.scope.op("Concat", *[self.scope.reshape(e, [1]) for e in entries], axis=0)


@exports("StridedSlice")
def strided_slice(s: Scope, node: Node, x: Value, begin: Value, end: Value, strides: Value) -> Value:
    """Ranges become a slice, numbers a gather each from the last axis to the first, and new axes come at the end."""
    parts = _Subscripts(s, node, x, begin, end, strides)
    y = x
    if parts.axes:
        y = s.op("Slice", y, parts.vector(parts.starts), parts.vector(parts.ends), parts.axes, parts.strides)
    for axis, index in reversed(parts.picked):
        y = s.op("Gather", y, index, axis=axis)
    if parts.new:
        y = s.unsqueeze(y, parts.new)
    return y if y is not x else s.op("Identity", x)


@exports("Pad", "PadV2", "MirrorPad")
def pad(s: Scope, node: Node, x: Value, amounts: Value, number: Value | None = None) -> Value:
    """ONNX lists all amounts at the start, then all at the end."""
    mode = node.attrs.get("mode", "")
    if mode == "SYMMETRIC":
        return _mirrored(s, x, amounts)
    flat = s.reshape(s.transpose(s.cast(amounts, tf.int64), [1, 0]), [-1])
    kinds = {"REFLECT": "reflect", "": "constant"}
    return s.op("Pad", x, flat, number, mode=kinds[mode])


def _mirrored(s: Scope, x: Value, amounts: Value) -> Value:
    """Padding that repeats the border, which ONNX lacks.

    The reversed first and last rows are concatenated before and after.
    """
    for axis, (before, after) in enumerate(amounts.array.tolist()):
        parts = [x]
        if before:
            parts.insert(0, s.op("Slice", x, [before - 1], [START], [axis], [-1]))
        if after:
            parts.append(s.op("Slice", x, [-1], [-after - 1], [axis], [-1]))
        if len(parts) > 1:
            x = s.op("Concat", *parts, axis=axis)
    return x


def _known_lengths(x: Value) -> list[int]:
    """The sizes after the batch axis."""
    lengths = [n for n in (x.dims or ())[1:] if n is not None]
    if len(lengths) != x.rank - 1:
        raise Unexportable("the lengths of its blocks are not known")
    return lengths


@exports("SpaceToBatchND")
def space_to_batch(s: Scope, node: Node, x: Value, block: Value, amounts: Value) -> Value:
    sizes, pairs = block.ints(), amounts.array.tolist()
    n, lengths = len(sizes), _known_lengths(x)
    rest = lengths[n:]
    wide = [length + sum(p) for length, p in zip(lengths, pairs)]
    x = s.op("Pad", x, [0, *[p[0] for p in pairs], *[0] * len(rest), 0, *[p[1] for p in pairs], *[0] * len(rest)])
    halves = [m for length, b in zip(wide, sizes) for m in (length // b, b)]
    x = s.reshape(x, [-1, *halves, *rest])
    order = [*range(2, 2 * n + 1, 2), 0, *range(1, 2 * n, 2), *range(2 * n + 1, 2 * n + 1 + len(rest))]
    return s.reshape(s.transpose(x, order), [-1, *[length // b for length, b in zip(wide, sizes)], *rest])


@exports("BatchToSpaceND")
def batch_to_space(s: Scope, node: Node, x: Value, block: Value, crops: Value) -> Value:
    sizes, pairs = block.ints(), crops.array.tolist()
    n, lengths = len(sizes), _known_lengths(x)
    rest = lengths[n:]
    x = s.reshape(x, [*sizes, -1, *lengths])
    order = [n, *[i for k in range(n) for i in (n + 1 + k, k)], *range(2 * n + 1, 2 * n + 1 + len(rest))]
    wide = [length * b for length, b in zip(lengths, sizes)]
    x = s.reshape(s.transpose(x, order), [-1, *wide, *rest])
    return s.op("Slice", x, [p[0] for p in pairs], [w - p[1] for w, p in zip(wide, pairs)], list(range(1, n + 1)))
