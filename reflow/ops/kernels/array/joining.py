"""Ops that join, split and reverse arrays."""

from __future__ import annotations

import numpy as np

from reflow.ops import batching, require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op


def _pack_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.unstack(cts[0], len(inputs), attrs.get("axis", 0))


@op(
    "Pack", batch=batching.along_attribute("axis", 0),
    shape=rules.pack, value=rules.value_pack, grad=_pack_grad, needs=(), trace_words=traced.merge_all,
    naming=Naming("stack", asked_by=("stack",)), moves=True,
)
def pack(xp, values, axis=0):
    return xp.stack(values, axis)


def _zeros_for_none(xp, outputs, cts):
    return [xp.zeros_like(o) if c is None else c for o, c in zip(outputs, cts, strict=True)]


def _unpack_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (xp.stack(_zeros_for_none(xp, outputs, cts), attrs.get("axis", 0)),)


@op(
    "Unpack", shape=rules.unpack, value=rules.value_unpack, grad=_unpack_grad, needs=("output",),
    shape_only=("output",), trace_words=traced.unpack, naming=Naming("unstack"), moves=True,
)
def unpack(xp, value, num, axis=0):
    dims = value.shape
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"axis = {axis} not in [{-len(dims)}, {len(dims)})")
    if dims[axis] != num:
        raise ValueError(f"Input shape axis {axis} must equal {num}, got shape {rules.text(dims)}")
    return tuple(xp.unstack(value, num, axis))


def _concat_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (*xp.concat_grads(cts[0], list(inputs[:-1]), inputs[-1]), None)


@op(
    "ConcatV2", batch=batching.concatenated, shape=rules.concat, value=rules.value_concat, grad=_concat_grad,
    static=("axis",), needs=("values", "axis"), shape_only=("values",), trace_check=traced.concat_axis,
    trace_words=traced.concat, naming=Naming("concat"),
)
def concat(xp, values, axis):
    return values[0] if len(values) == 1 else xp.concat(values, _joined_axis(values[0], axis))


def _joined_axis(x, axis) -> int:
    at, ndim = int(require.single("axis", axis) if getattr(axis, "ndim", 0) else axis), len(x.shape)
    if not -ndim <= at < ndim:
        raise ValueError(f"ConcatOp : Expected concatenating dimensions in the range [{-ndim}, {ndim}), but got {at}")
    return at


def _concat_v1(f):
    return rules.concat(
        rules.NodeFacts(f.op, f.dtypes, f.shapes[1:] + f.shapes[:1], f.values[1:] + f.values[:1], f.attrs)
    )


def _concat_v1_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (None, *xp.concat_grads(cts[0], list(inputs[1:]), inputs[0]))


@op("Concat", fits="0", shape=_concat_v1, grad=_concat_v1_grad, static=("concat_dim",), trace_words=traced.concat)
def concat_v1(xp, concat_dim, values):
    return xp.concat(values, _joined_axis(values[0], concat_dim))


@op("ConcatOffset", shape=lambda f: [f.shapes[1]] * (len(f.shapes) - 1), grad=NO_GRADIENT, static=("concat_dim",))
def concat_offset(xp, concat_dim, shape):
    """Where each part of a concatenation begins."""
    require.vectors(len(shape[0]) if shape[0].ndim else None, **{f"input {i}": dims for i, dims in enumerate(shape)})
    rank = len(shape[0])
    if not -rank <= int(concat_dim) < rank:
        raise ValueError(f"Concat dim is out of range: {int(concat_dim)} vs. {rank}")
    axis, at, out = int(concat_dim) % rank, 0, []
    for i, dims in enumerate(shape):
        if any(a != b for n, (a, b) in enumerate(zip(dims.tolist(), shape[0].tolist())) if n != axis):
            both = f"Input {i} has shape {dims.tolist()} and doesn't match input 0 with shape {shape[0].tolist()}."
            raise ValueError(f"All dimensions except {axis} must match. {both}")
        start = np.zeros_like(dims)
        start[axis] = at
        at += int(dims[axis])
        out.append(start)
    return tuple(out)


@op("ParallelConcat", shape=lambda f: [f.attr("shape")], grad=NO_GRADIENT)
def parallel_concat(xp, values, shape=None):
    if shape and shape[0] is not None and shape[0] < len(values):
        raise ValueError(f"0th dimension of value = {shape[0]} must be greater than loc_ = {shape[0]}")
    # TensorFlow leaves what was in memory in the other rows
    if shape and shape[0] is not None and shape[0] > len(values):
        raise ValueError(f"There are {len(values)} values for a result of the shape {rules.text(shape)}")
    for value in values:
        if shape is not None and None not in shape and tuple(value.shape) != (1, *shape[1:]):
            raise ValueError(f"value and update shape doesn't match: {rules.text(shape)} vs. {rules.text(value.shape)}")
    return xp.concat(values, 0)


def _split_grad(xp, attrs, inputs, outputs, cts, wanted):
    return None, xp.concat(_zeros_for_none(xp, outputs, cts), xp.static_int(inputs[0]))


@op(
    "Split", shape=rules.split, grad=_split_grad, static=("split_dim",), needs=("split_dim", "output"),
    shape_only=("output",), trace_words=traced.split, naming=Naming("split"),
)
def split(xp, split_dim, value, num_split):
    dims = value.shape
    axis = rules.split_axis(int(split_dim), dims)
    if dims[axis] % num_split:
        raise ValueError(
            f"Number of ways to split should evenly divide the split dimension, but got split_dim {axis} "
            f"(size = {dims[axis]}) and num_split {num_split}"
        )
    return tuple(xp.split(value, (dims[axis] // num_split,) * num_split, axis))


def _split_v_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.concat(_zeros_for_none(xp, outputs, cts), xp.static_int(inputs[2])), None, None


@op(
    "SplitV", shape=rules.split_v, value=rules.value_split_v, grad=_split_v_grad, static=("size_splits", "split_dim"),
    needs=("size_splits", "split_dim", "output"), shape_only=("output",), trace_words=traced.split_v,
    naming=Naming("split"),
)
def split_v(xp, value, size_splits, split_dim, num_split):
    require.vector("size_splits", size_splits, num_split)
    if split_dim.size != 1:
        raise ValueError("split_dim_tensor must have exactly one element.")
    axis = rules.split_axis(split_dim.item(), value.shape)
    sizes, total = size_splits.tolist(), value.shape[axis]
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = total - sum(s for s in sizes if s != -1)
    if sum(sizes) != total or min(sizes, default=0) < 0:
        raise ValueError(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be "
            f"less than the size of the input along split_dim if not fully specified.  Got: {sum(sizes)}"
        )
    return tuple(xp.split(value, sizes, axis))


def _reverse_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.flip_by(cts[0], inputs[1]), None


@op(
    "ReverseV2", shape=rules.same, grad=_reverse_grad, static=("axis",), needs=("axis",), trace_check=traced.reverse,
    batch=batching.along_axes, lenient=True,
)
def reverse(xp, tensor, axis):
    ndim = len(tensor.shape)
    if not ndim:
        return tensor
    axes = [a % ndim if -ndim <= a < ndim else None for a in axis.tolist()]
    if None in axes:
        bad = axes.index(None)
        raise ValueError(f"'axis'[{bad}] = {axis[bad]} is out of valid range [0, {ndim - 1}")
    if len(set(axes)) != len(axes):
        raise ValueError(f"axis {next(a for a in axes if axes.count(a) > 1)} specified more than once.")
    return xp.flip_by(tensor, axis)


def _roll_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.roll_by(cts[0], xp.negative(inputs[1]), inputs[2]), None, None


@op("Roll", shape=rules.same, grad=_roll_grad, static=("axis",), needs=("shift", "axis"), trace_check=traced.roll)
def roll(xp, input, shift, axis):
    if not input.ndim:
        raise ValueError("input must be 1-D or higher")
    for name, x in (("shift", shift), ("axis", axis)):
        if x.ndim > 1:
            raise ValueError(f"{name} must be a scalar or a 1-D vector. Found: {rules.text(x.shape)}")
    if shift.size != axis.size:
        raise ValueError("shift and axis must have the same size")
    if not input.ndim:
        raise ValueError("input must be 1-D or higher")
    for place in axis.reshape(-1).tolist():
        if not -input.ndim <= place < input.ndim:
            raise ValueError(f"axis {place + input.ndim if place < 0 else place} is out of range")
    return xp.roll_by(input, shift, axis)
