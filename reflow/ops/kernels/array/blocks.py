"""Ops that move blocks: space to batch and depth, reversed sequences, partitions and stitching, flat indices."""

from __future__ import annotations

import math

import numpy as np

from reflow.core import errors
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.registry import MAX_OUTPUTS, NO_GRADIENT, op

# --- space and batch --------------------------------------------------------------------------------------------------


UNKNOWN = (None, None)


def _by_block(rule):
    """A shape rule that asks `rule(dims, block, pairs)` for the batch and the divided axes, once the block is known.
    Pairs that are not known are `UNKNOWN`."""

    def shape(f):
        dims, length = f.shapes[0], f.shapes[1]
        if dims is None:
            return [None]
        block, pairs = (v[: len(dims)] if isinstance(v, tuple) and rules.known(v) else None for v in f.values[1:3])
        if block is not None:
            return [(*rule(dims, block, pairs or (UNKNOWN,) * len(block)), *dims[len(block) + 1 :])]
        if length is None or length[0] is None:
            return [(None,) * len(dims)]
        return [(None,) * (length[0] + 1) + dims[length[0] + 1 :]]

    return shape


def _check_edges(pairs, what: str) -> None:
    if min((edge for pair in pairs if pair != UNKNOWN for edge in pair), default=0) < 0:
        raise ValueError(f"{what} must be non-negative")


@_by_block
def to_batch_shape(dims, block, pairs):
    for i, b in enumerate(block):
        if b <= 0:
            raise ValueError(f"All values in block_shape must be positive, got value, {b} at index {i}.")
    _check_edges(pairs, "Paddings")
    out = [None if dims[0] is None else dims[0] * math.prod(block)]
    for n, b, pair in zip(dims[1:], block, pairs, strict=False):
        padded = None if n is None or pair == UNKNOWN else n + sum(pair)
        if padded is not None and padded % b:
            raise ValueError(
                f"padded_shape[{len(out) - 1}]={padded} is not divisible by block_shape[{len(out) - 1}]={b}"
            )
        out.append(None if padded is None else padded // b)
    return out


@_by_block
def to_space_shape(dims, block, pairs):
    if math.prod(block) <= 0:
        raise ValueError(f"Product of block sizes must be positive, got {math.prod(block)}")
    _check_edges(pairs, "Crops")
    if dims[0] is not None and dims[0] % math.prod(block):
        raise ValueError(
            f"Input batch dimension ({dims[0]}) is not divisible by product of block sizes ({math.prod(block)})"
        )
    inner = zip(dims[1:], block, pairs, strict=False)
    batch = None if dims[0] is None else dims[0] // math.prod(block)
    sizes = [None if n is None or pair == UNKNOWN else n * b - sum(pair) for n, b, pair in inner]
    for i, size in enumerate(sizes):
        if size is not None and size < 0:
            raise ValueError(f"cropped_shape[{i}]={size} must be non-negative")
    return [batch, *sizes]


def _block_op(name: str, pairs: str, inverse: str, **facts):
    """The record of an op that moves blocks: its inputs `block_shape` and `pairs` are static. The gradient moves the
    blocks back, by the function `inverse` of `xp`."""

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        return getattr(xp, inverse)(cts[0], *inputs[1:]), None, None

    static = ("block_shape", pairs)
    return op(name, grad=grad, static=static, needs=static, trace_check=traced.blocks_and_edges, **facts)


def _check_pairs(name, pairs, block_shape):
    """A number before and one after for each axis of the blocks."""
    if pairs.shape != (len(block_shape), 2):
        raise ValueError(f"{name} should have shape [{len(block_shape)}, 2] instead of {rules.text(pairs.shape)}")


@_block_op("SpaceToBatchND", "paddings", "batch_to_space_by", shape=to_batch_shape, trace_words=traced.space_to_batch)
def space_to_batch_nd(xp, input, block_shape, paddings):
    _check_pairs("paddings", paddings, block_shape)
    return xp.space_to_batch_by(input, block_shape, paddings)


@_block_op("BatchToSpaceND", "crops", "space_to_batch_by", shape=to_space_shape, trace_words=traced.batch_to_space)
def batch_to_space_nd(xp, input, block_shape, crops):
    _check_pairs("crops", crops, block_shape)
    return xp.batch_to_space_by(input, block_shape, crops)


# --- space and depth --------------------------------------------------------------------------------------------------


def _axes(f):
    """Positions of height, width and channels."""
    return (2, 3, 1) if f == "NCHW" else (1, 2, 3)


def _depth_shape(to_depth):
    def rule(f):
        dims, b = f.shapes[0], f.attrs["block_size"]
        if dims is None:
            return [(None,) * 4]
        out = list(dims)
        height, width, channels = _axes(f.attr("data_format"))
        for axis in (height, width):
            if out[axis] is not None:
                if to_depth and out[axis] % b:
                    raise ValueError(f"Dimension size must be evenly divisible by {b} but is {out[axis]}")
                out[axis] = out[axis] // b if to_depth else out[axis] * b
        if out[channels] is not None:
            if not to_depth and out[channels] % (b * b):
                raise ValueError(f"Dimension size must be evenly divisible by {b * b} but is {out[channels]}")
            out[channels] = out[channels] * b * b if to_depth else out[channels] // (b * b)
        return [tuple(out)]

    return rule


def _space_to_depth_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (xp.depth_to_space(cts[0], attrs["block_size"], attrs.get("data_format", "NHWC")),)


@op("SpaceToDepth", fits="4", shape=_depth_shape(True), grad=_space_to_depth_grad, needs=())
def space_to_depth(xp, input, block_size, data_format="NHWC"):
    return xp.space_to_depth(input, block_size, data_format)


def _depth_to_space_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (xp.space_to_depth(cts[0], attrs["block_size"], attrs.get("data_format", "NHWC")),)


@op("DepthToSpace", fits="4", shape=_depth_shape(False), grad=_depth_to_space_grad, needs=())
def depth_to_space(xp, input, block_size, data_format="NHWC"):
    return xp.depth_to_space(input, block_size, data_format)


# --- sequences --------------------------------------------------------------------------------------------------------


def _reverse_sequence_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.reverse_sequence(cts[0], inputs[1], attrs["seq_dim"], attrs.get("batch_dim", 0)), None


def _length_checks(xp, attrs, input, seq_lengths):
    limit = input.shape[attrs["seq_dim"]]
    ok = xp.all(xp.less_equal(seq_lengths, xp.const(limit, seq_lengths)), None)
    some = xp.all(xp.greater_equal(seq_lengths, xp.const(0, seq_lengths)), None)

    def message(input, seq_lengths):
        first = int((np.asarray(seq_lengths) > limit).argmax())
        return f"seq_lens({first}) > input.dims({attrs['seq_dim']})"

    def negative(input, seq_lengths):
        return f"seq_lens({int((np.asarray(seq_lengths) < 0).argmax())}) < 0"

    return [(ok, message), (some, negative)]


@op(
    "ReverseSequence", shape=rules.same, grad=_reverse_sequence_grad, needs=("seq_lengths",), checks=(_length_checks,),
    trace_check=traced.reverse_sequence,
)
def reverse_sequence(xp, input, seq_lengths, seq_dim, batch_dim=0):
    for name, axis in (("batch_dim", batch_dim), ("seq_dim", seq_dim)):
        if not 0 <= axis < input.ndim:
            raise ValueError(f"{name} must be < input rank ( {axis} vs. {input.ndim})")
    return xp.reverse_sequence(input, seq_lengths, seq_dim, batch_dim)


# --- partitions: sizes depend on values, so on the host ---------------------------------------------------------------


def _partition_shape(f):
    data, parts, count = f.shapes[0], f.shapes[1], f.attrs["num_partitions"]
    tail = None if data is None or parts is None else data[len(parts) :]
    return [None if tail is None else (None, *tail)] * count


def _partition_grad(attrs, inputs, outputs, cts, wanted):
    """Stitch the cotangents together again at the places they came from."""
    from reflow.ops.reverse import dense
    from reflow.ops.xp import tensor as tn

    data, parts = inputs
    count = len(outputs)
    places = tn.reshape(tn.run("Range", tn.operand(0), tn.run("Size", parts), tn.operand(1)), tn.shape_tensor(parts))
    split = tn.run("DynamicPartition", places, parts, num_partitions=count)
    grads = [tn.zeros_like(o) if c is None else dense(c) for o, c in zip(outputs, cts, strict=True)]
    return [tn.reshape(tn.run("DynamicStitch", *split, *grads, N=count), tn.shape_tensor(data)), None]


@op(
    "DynamicPartition", shape=_partition_shape, grad_tensors=_partition_grad, host=True, trace_check=traced.partition,
    sized_by_data=True,
)
def dynamic_partition(xp, data, partitions, num_partitions):
    if data.shape[: partitions.ndim] != partitions.shape:
        raise ValueError(
            f"data.shape must start with partitions.shape, got data.shape = {rules.text(data.shape)}, "
            f"partitions.shape = {rules.text(partitions.shape)}"
        )
    if num_partitions > MAX_OUTPUTS:
        raise ValueError(f"Number of outputs is too big: {num_partitions}")
    if partitions.size and not (0 <= partitions.min() and partitions.max() < num_partitions):
        at = np.argwhere((partitions < 0) | (partitions >= num_partitions))[0].tolist()
        raise ValueError(
            f"partitions[{','.join(map(str, at))}] = {partitions[tuple(at)]} is not in [0, {num_partitions})"
        )
    return tuple(data[partitions == i] for i in range(num_partitions))


def _stitch_shape(f):
    half = len(f.shapes) // 2
    index, data = f.shapes[0], f.shapes[half]
    known = all(v is not None and rules.known(v) for v in f.values[:half])
    rows = max((int(np.max(v, initial=-1)) for v in map(np.array, f.values[:half])), default=-1) + 1 if known else None
    return [None if index is None or data is None else (rows, *data[len(index) :])]


def _stitch_grad(attrs, inputs, outputs, cts, wanted):
    from reflow.ops.reverse import dense
    from reflow.ops.xp import tensor as tn

    half = len(inputs) // 2
    g = dense(cts[0])
    return [None] * half + [tn.take(g, i, 0) if w else None for i, w in zip(inputs[:half], wanted[half:], strict=True)]


def _stitch(name):
    @op(name, shape=_stitch_shape, grad_tensors=_stitch_grad, host=True, trace_check=traced.stitch, sized_by_data=True)
    def kernel(xp, indices, data):
        rows = max((int(i.max(initial=-1)) for i in indices), default=-1) + 1
        if rows >= 2**31:
            raise ValueError(f"Expected a non-negative size, got {rows - 2**32}")
        for i in indices:
            if i.size and i.min() < 0:
                raise ValueError(f"indices[{int(np.argmax(i.reshape(-1) < 0))}] is out of range")
        inner = data[0].shape[indices[0].ndim :]
        out = np.zeros((rows, *inner), data[0].dtype)
        for i, d in zip(indices, data, strict=True):
            if d.shape != i.shape + inner:
                raise ValueError(
                    f"data[0].shape = {rules.text(data[0].shape)} does not start with indices[0].shape = "
                    f"{rules.text(indices[0].shape)}"
                    if d is data[0]
                    else f"Need data[0].shape[{indices[0].ndim}:] = data[i].shape[{i.ndim}:]"
                )
            out[i.reshape(-1)] = d.reshape((i.size, *inner))
        return out

    return kernel


_stitch("DynamicStitch")
_stitch("ParallelDynamicStitch")


def _unravel_shape(f):
    indices, dims = f.shapes
    if indices is None or dims is None:
        return [None]
    return [dims] if not indices else [(*dims, *((None,) if None in indices else (math.prod(indices),)))]


def _unravel_checks(xp, attrs, indices, dims):
    if 0 in dims or dims.ndim != 1:
        return []  # the kernel raises then
    inside = xp.less(indices, xp.const(math.prod(dims.tolist()), indices))
    return [(xp.all(inside, None), "index is out of bound as with dims")]


@op("UnravelIndex", fits="* 1", shape=_unravel_shape, grad=NO_GRADIENT, static=("dims",), checks=(_unravel_checks,))
def unravel_index(xp, indices, dims):
    if dims.ndim != 1:
        raise ValueError(f'The indices can only be 1-D, got "{rules.text(dims.shape)}"')
    sizes, out = dims.tolist(), []
    if 0 in indices.shape:
        raise ValueError("received empty tensor indices")
    if indices.ndim > 1:
        raise ValueError(f'The indices can only be scalar or vector, got "{rules.text(indices.shape)}"')
    if 0 in sizes:
        raise ValueError(f"Input dims cannot contain a dim of zero, but dims contains zero at index {sizes.index(0)}")
    flat = xp.reshape(indices, (-1,) if indices.shape else ())
    for i, n in enumerate(sizes):
        below = xp.const(math.prod(sizes[i + 1 :]), indices)
        out.append(xp.truncate_mod(xp.truncate_div(flat, below), xp.const(n, indices)))
    return xp.stack(out, 0)


def _distance_shape(f):
    """The shape without the sequences: the larger of both."""
    pair = [v for v in (f.values[2], f.values[5]) if isinstance(v, tuple)]
    if not pair:
        rank = next((s[0] for s in (f.shapes[2], f.shapes[5]) if s and s[0] is not None), None)
        return [None if rank is None else (None,) * (rank - 1)]
    if len(pair) == 1 or len(pair[0]) != len(pair[1]):
        return [(None,) * (len(pair[0]) - 1)]
    return [tuple(None if None in sizes else max(sizes) for sizes in list(zip(*pair, strict=True))[:-1])]


@op(
    "EditDistance", fits="2 1 1 2 1 1", shape=_distance_shape, grad=NO_GRADIENT, host=True,
    trace_check=traced.sparse_tensors(0, 3),
)
def edit_distance(
    xp, hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape,
    normalize=True,
):
    """The Levenshtein distance of pairs of sequences, given as sparse tensors whose last axis is the sequence."""
    groups = [_sequences(i, v) for i, v in ((hypothesis_indices, hypothesis_values), (truth_indices, truth_values))]
    for sizes in (hypothesis_shape, truth_shape):
        require.sparse_shape(sizes)
    shape = tuple(np.maximum(hypothesis_shape[:-1], truth_shape[:-1]).tolist())
    out = np.zeros(shape, np.float32)
    for place in groups[0].keys() | groups[1].keys():
        if not all(0 <= i < n for i, n in zip(place, shape, strict=True)):
            at = sum(i * math.prod(shape[k + 1 :]) for k, i in enumerate(place))
            raise errors.InternalError(
                None, None,
                f"Got an inner product {at} which would require writing to outside of the buffer for the output tensor "
                f"(max elements {math.prod(shape)})",
            )
        guess, truth = groups[0].get(place, []), groups[1].get(place, [])
        distance: float = _levenshtein(guess, truth)
        if normalize:
            distance = distance / len(truth) if truth else (np.inf if distance else 0.0)
        out[place] = distance
    return out


def _sequences(indices, values) -> dict:
    groups: dict = {}
    for place, value in zip(indices.tolist(), values.tolist(), strict=True):
        groups.setdefault(tuple(place[:-1]), []).append(value)
    return groups


def _levenshtein(a, b) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1]
