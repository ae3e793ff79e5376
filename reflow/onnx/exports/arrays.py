"""Shapes, joins, gathers, and creation of tensors."""

from __future__ import annotations

import numpy as np

import reflow as tf
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, exports
from reflow.onnx.writer import Scope, Value, constant, of_tensor

# --- shapes


@exports("Shape")
def shape(s: Scope, node: Node, x: Value) -> Value:
    return s.cast(s.shape(x), node.outputs[0]._dtype)


@exports("ShapeN")
def shapes(s: Scope, node: Node, *inputs: Value) -> tuple[Value, ...]:
    return tuple(s.cast(s.shape(x), node.outputs[0]._dtype) for x in inputs)


@exports("Size")
def size(s: Scope, node: Node, x: Value) -> Value:
    return s.cast(s.op("Size", x, dtype=tf.int64), node.outputs[0]._dtype)


@exports("Rank")
def rank(s: Scope, node: Node, x: Value) -> Value:
    return constant(x.rank, tf.int32)


@exports("Reshape")
def reshape(s: Scope, node: Node, x: Value, wanted: Value) -> Value:
    """A shape with one open length is known but for that."""
    dims = node.outputs[0]._dims
    if not wanted.known and dims is not None and dims.count(None) <= 1 and 0 not in dims:
        return s.reshape(x, [-1 if n is None else n for n in dims])
    return s.reshape(x, wanted)


@exports("EnsureShape")
def ensure_shape(s: Scope, node: Node, x: Value) -> Value:
    return s.op("Identity", x)


@exports("ExpandDims")
def expand_dims(s: Scope, node: Node, x: Value, axis: Value) -> Value:
    return s.unsqueeze(x, axis.ints())


@exports("Squeeze")
def squeeze(s: Scope, node: Node, x: Value) -> Value:
    axes = list(node.attrs.get("squeeze_dims") or node.attrs.get("axis") or ())
    if not axes:
        if x.dims is None or None in x.dims:
            raise Unexportable("without axes it needs a known shape")
        axes = [i for i, n in enumerate(x.dims) if n == 1]
    return s.squeeze(x, axes) if axes else s.op("Identity", x)


@exports("Transpose")
def transpose(s: Scope, node: Node, x: Value, order: Value) -> Value:
    return s.transpose(x, order.ints())


@exports("BroadcastTo")
def broadcast_to(s: Scope, node: Node, x: Value, wanted: Value) -> Value:
    return s.op("Expand", x, s.cast(wanted, tf.int64))


@exports("Tile")
def tile(s: Scope, node: Node, x: Value, multiples: Value) -> Value:
    return s.op("Tile", x, s.cast(multiples, tf.int64))


# --- joining and taking apart


@exports("ConcatV2")
def concat(s: Scope, node: Node, *inputs: Value) -> Value:
    *parts, axis = inputs
    return s.op("Concat", *parts, axis=axis.ints()[0])


@exports("Concat")
def concat_v1(s: Scope, node: Node, axis: Value, *parts: Value) -> Value:
    return s.op("Concat", *parts, axis=axis.ints()[0])


@exports("Pack")
def pack(s: Scope, node: Node, *parts: Value) -> Value:
    axis = int(node.attrs.get("axis", 0))
    return s.op("Concat", *[s.unsqueeze(p, [axis]) for p in parts], axis=axis)


@exports("Unpack")
def unpack(s: Scope, node: Node, x: Value) -> tuple[Value, ...]:
    axis, count = int(node.attrs.get("axis", 0)), len(node.outputs)
    parts = s.ops("Split", [x.dtype] * count, x, [1] * count, axis=axis)
    return tuple(s.squeeze(p, [axis]) for p in parts)


@exports("Split")
def split(s: Scope, node: Node, axis: Value, x: Value) -> tuple[Value, ...]:
    return tuple(s.ops("Split", [x.dtype] * len(node.outputs), x, axis=axis.ints()[0], num_outputs=len(node.outputs)))


@exports("SplitV")
def split_sizes(s: Scope, node: Node, x: Value, sizes: Value, axis: Value) -> tuple[Value, ...]:
    place, sizes = axis.ints()[0], s.cast(sizes, tf.int64)
    if sizes.known and -1 in sizes.ints():
        lengths = [(t._dims or ())[place] if t._dims is not None else None for t in node.outputs]
        if None in lengths:
            raise Unexportable("a length is what the others leave over, and that is not known")
        sizes = constant(lengths, tf.int64)
    return tuple(s.ops("Split", [x.dtype] * len(node.outputs), x, sizes, axis=place))


# --- gathers and scatters


@exports("Gather")
def gather_rows(s: Scope, node: Node, x: Value, indices: Value) -> Value:
    return s.op("Gather", x, indices, axis=0)


@exports("ResourceGather")
def gather_from_variable(s: Scope, node: Node, variable: Value, indices: Value) -> Value:
    """Rows of the value that the variable has now."""
    if node.attrs.get("batch_dims", 0):
        raise Unexportable("it gathers from a variable in batches")
    with tf.init_scope():
        table = tf.raw_ops.ReadVariableOp(resource=variable.eager, dtype=node.attrs["dtype"])
    return s.op("Gather", of_tensor(table), indices, axis=0)


@exports("GatherV2")
def gather(s: Scope, node: Node, x: Value, indices: Value, axis: Value) -> Value:
    batched, place = int(node.attrs.get("batch_dims", 0)), axis.ints()[0]
    if not batched:
        return s.op("Gather", x, indices, axis=place)
    batched, place = (n + r if n < 0 else n for n, r in ((batched, indices.rank), (place, x.rank)))
    if place != batched:
        raise Unexportable("its axis is not the first after the batch")
    return s.op("GatherND", x, s.unsqueeze(s.cast(indices, tf.int64), [-1]), batch_dims=batched)


@exports("GatherNd")
def gather_nd(s: Scope, node: Node, x: Value, indices: Value) -> Value:
    return s.op("GatherND", x, s.cast(indices, tf.int64))


@exports("TensorScatterUpdate")
def scatter_update(s: Scope, node: Node, x: Value, indices: Value, updates: Value) -> Value:
    return s.op("ScatterND", x, s.cast(indices, tf.int64), updates)


@exports("TensorScatterAdd", "TensorScatterMax", "TensorScatterMin")
def scatter_reduce(s: Scope, node: Node, x: Value, indices: Value, updates: Value) -> Value:
    return s.op(
        "ScatterND", x, s.cast(indices, tf.int64), updates, reduction=node.type.removeprefix("TensorScatter").lower()
    )


@exports("TensorScatterSub")
def scatter_subtract(s: Scope, node: Node, x: Value, indices: Value, updates: Value) -> Value:
    return s.op("ScatterND", x, s.cast(indices, tf.int64), s.op("Neg", updates), reduction="add")


@exports("ScatterNd")
def scatter(s: Scope, node: Node, indices: Value, updates: Value, wanted: Value) -> Value:
    zeros = filled(s, s.cast(wanted, tf.int64), s.number(0, updates))
    return s.op("ScatterND", zeros, s.cast(indices, tf.int64), updates, reduction="add")


# --- creation


def filled(s: Scope, dims: Value, number: Value) -> Value:
    """A tensor of one number."""
    return s.op("Expand", number, dims)


@exports("Fill")
def fill(s: Scope, node: Node, dims: Value, number: Value) -> Value:
    return filled(s, s.cast(dims, tf.int64), number)


@exports("ZerosLike", "OnesLike")
def constant_like(s: Scope, node: Node, x: Value) -> Value:
    return filled(s, s.shape(x), s.number(0 if node.type == "ZerosLike" else 1, x))


@exports("Range")
def number_range(s: Scope, node: Node, start: Value, limit: Value, delta: Value) -> Value:
    return s.op("Range", start, limit, delta)


@exports("OneHot")
def one_hot(s: Scope, node: Node, indices: Value, depth: Value, on: Value, off: Value) -> Value:
    """ONNX Runtime makes float32 of int64; a negative index means no place here, and one counted from the end there."""
    indices, axis = s.cast(indices, tf.int64), int(node.attrs.get("axis", -1))
    depth = s.cast(depth, tf.int64)
    outside = s.op("Less", indices, s.number(0, indices), dtype=tf.bool)
    place = s.op("Where", outside, depth, indices, dtype=tf.int64)
    flags = s.op("OneHot", place, depth, constant([0, 1], tf.float32), dtype=tf.float32, axis=axis)
    if on.known and off.known and on.array == 1 and off.array == 0:
        return s.cast(flags, on.dtype)
    return s.op("Where", s.cast(flags, tf.bool), on, off, dtype=on.dtype)


@exports("Where")
def places_of_true(s: Scope, node: Node, x: Value) -> Value:
    return s.transpose(s.op("NonZero", x, dtype=tf.int64), [1, 0])


@exports("MatrixBandPart")
def band(s: Scope, node: Node, x: Value, below: Value, above: Value) -> Value:
    """A negative number of diagonals means all of them."""
    kind = x.dtype
    y = s.cast(x, tf.int32) if kind == tf.bool else x
    if below.ints()[0] >= 0:
        y = s.op("Trilu", y, s.number(-below.ints()[0], constant(0, tf.int64)), upper=1)
    if above.ints()[0] >= 0:
        y = s.op("Trilu", y, s.number(above.ints()[0], constant(0, tf.int64)), upper=0)
    return s.cast(y, kind) if y is not x else s.op("Identity", x)


@exports("Unique")
def unique(s: Scope, node: Node, x: Value) -> tuple[Value, Value]:
    values, _, places = s.ops("Unique", [x.dtype, tf.int64, tf.int64], x, sorted=0)
    return values, s.cast(places, node.outputs[1]._dtype)


@exports("ReverseV2")
def reverse(s: Scope, node: Node, x: Value, axes: Value) -> Value:
    places = axes.ints()
    ends = [int(np.iinfo(np.int64).min)] * len(places)
    return s.op("Slice", x, [-1] * len(places), ends, places, [-1] * len(places)) if places else s.op("Identity", x)


@exports("ReverseSequence")
def reverse_sequence(s: Scope, node: Node, x: Value, lengths: Value) -> Value:
    """ONNX has it for the first two axes."""
    time, batch = int(node.attrs["seq_dim"]), int(node.attrs.get("batch_dim", 0))
    if {time, batch} != {0, 1}:
        raise Unexportable(f"time and batch are the axes {time} and {batch}; ONNX has it for 0 and 1")
    return s.op("ReverseSequence", x, s.cast(lengths, tf.int64), time_axis=time, batch_axis=batch)


@exports("Roll")
def roll(s: Scope, node: Node, x: Value, shift: Value, axis: Value) -> Value:
    """The last rows come before the others."""
    for by, place in zip(shift.ints(), axis.ints(), strict=True):
        length = (x.dims or ())[place]
        if length is None:
            raise Unexportable("the length of its axis is not known")
        start = -by % length
        parts = [s.op("Slice", x, [a], [b], [place]) for a, b in ((start, length), (0, start))]
        x = s.op("Concat", *parts, dims=x.dims, axis=place)
    return x


@exports("InvertPermutation")
def invert_permutation(s: Scope, node: Node, x: Value) -> Value:
    length = (x.dims or (None,))[0]
    if length is None:
        raise Unexportable("the length of the permutation is not known")
    return s.op("ScatterElements", x, x, constant(np.arange(length), x.dtype))
