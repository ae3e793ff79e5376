"""StridedSlice, Slice, and their adjoints: padding."""

from __future__ import annotations

import functools

import numpy as np

from reflow.ops import batching, require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.naming import Naming
from reflow.ops.registry import NeedsValue, op
from reflow.ops.shape_facts import text
from reflow.ops.slice_spec import MASKS, dynamic_picks, plan_of


def masks_of(attrs) -> tuple:
    return tuple([attrs.get(m) or 0 for m in MASKS])


# --- StridedSlice -----------------------------------------------------------------------------------------------------


def _strided_slice_grad(xp, attrs, inputs, outputs, cts, wanted):
    x, begin, end, strides = inputs
    return xp.strided_slice_grad_like(cts[0], x, begin, end, strides, masks_of(attrs)), None, None, None


def _index_checks(xp, attrs, input, begin, end, strides):
    """In programs, an index that is not known before must lie in its axis. Where the kernel has both as arrays it looks
    itself; before a program (`compile/prechecks.py`) the index is known, and of the input only the shape."""
    if isinstance(begin, np.ndarray) and isinstance(input, np.ndarray):
        return []
    picks = dynamic_picks(tuple(input.shape), tuple(strides.tolist()), masks_of(attrs))
    if picks is None:
        return []
    out = []
    for axis, entry in enumerate(picks[0]):
        if entry is not None:
            at, n = xp.slice(begin, (entry,), (1,)), input.shape[axis]
            at = xp.reshape(at, ())
            ok = xp.logical_and(xp.greater_equal(at, xp.const(-n, at)), xp.less(at, xp.const(n, at)))
            out.append((ok, functools.partial(_index_words, entry, axis)))
    return out


def _index_words(entry, axis, x, begin, end, strides) -> str:
    place = int(begin[entry])  # TensorFlow has made it count from the front by then
    return f"slice index {place + x.shape[axis] if place < 0 else place} of dimension {axis} out of bounds."


@op(
    "StridedSlice", batch=batching.sliced, shape=rules.strided_slice, value=rules.value_strided_slice,
    grad=_strided_slice_grad, static=("strides",), checks=(_index_checks,), needs=("input", "begin", "end", "strides"),
    shape_only=("input",),
    naming=Naming("strided_slice", inputs={"begin": "stack", "end": "stack_1", "strides": "stack_2"}, reads_first=True),
    trace_check=traced.slice_bounds, moves=True, bounded=True,
)
def strided_slice(
    xp, input, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0
):
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if isinstance(begin, np.ndarray) and isinstance(end, np.ndarray):
        plan = plan_of(input.shape, begin, end, strides, masks)
        return xp.reshape(xp.compact(xp.strided_slice(input, plan.begin, plan.end, plan.strides), input), plan.final)
    picks = dynamic_picks(tuple(input.shape), tuple(strides.tolist()), masks)
    if picks is None:
        raise NeedsValue(strided_slice, "begin")
    entries, sizes, final = picks
    return xp.reshape(xp.dynamic_slice(input, xp.wrapped_starts(begin, entries, input.shape), sizes), final)


def _grad_shape(f):
    return [rules.as_shape(f.values[0], f.shapes[0])]


def _strided_slice_grad_grad(xp, attrs, inputs, outputs, cts, wanted):
    _, begin, end, strides, _ = inputs
    return None, None, None, None, xp.strided_slice_by(cts[0], begin, end, strides, masks_of(attrs))


@op(
    "StridedSliceGrad", fits="1", shape=_grad_shape, grad=_strided_slice_grad_grad, static=("shape", "strides"),
    needs=("begin", "end", "strides"),
)
def strided_slice_grad(
    xp, shape, begin, end, strides, dy, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0
):
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if isinstance(begin, np.ndarray) and isinstance(end, np.ndarray):
        expected = plan_of(tuple(shape.tolist()), begin, end, strides, masks).final
        if tuple(dy.shape) != tuple(expected):
            raise ValueError(f"shape of dy was {text(dy.shape)} instead of {text(expected)}")
    return xp.strided_slice_grad_of(dy, tuple(shape.tolist()), begin, end, strides, masks)


def _update_grad(xp, attrs, inputs, outputs, cts, wanted):
    _, begin, end, strides, value = inputs
    masks, g = masks_of(attrs), cts[0]
    inner = xp.strided_slice_by(g, begin, end, strides, masks)
    return (
        xp.strided_slice_update(g, begin, end, strides, masks, xp.zeros_like(inner)),
        None, None,
        None,
        xp.sum_to_like(inner, value),
    )


@op(
    "TensorStridedSliceUpdate", shape=rules.same, grad=_update_grad, static=("begin", "end", "strides"),
    needs=("begin", "end", "strides", "value"),
)
def tensor_strided_slice_update(
    xp, input, begin, end, strides, value, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
    shrink_axis_mask=0,
):
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return xp.strided_slice_update(input, begin, end, strides, masks, value)


# --- Slice ------------------------------------------------------------------------------------------------------------


def _slice_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.slice_grad_like(cts[0], inputs[0], inputs[1]), None, None


def _slice_checks(xp, attrs, input, begin, size):
    if isinstance(begin, np.ndarray):
        return []
    sizes = [n if s == -1 else s for s, n in zip(size.tolist(), input.shape, strict=True)]
    room = np.array([n - s for s, n in zip(sizes, input.shape, strict=True)], begin.dtype)
    ok = xp.all(xp.logical_and(xp.greater_equal(begin, xp.zeros_like(begin)), xp.less_equal(begin, room)), None)
    return [
        (ok, lambda x, b, s: f"Expected begin in [0, {rules.text(room.tolist())}], but got {rules.text(b.tolist())}")
    ]


@op(
    "Slice", fits="* 1 1", shape=rules.slice_, value=rules.value_slice, grad=_slice_grad, static=("size",),
    checks=(_slice_checks,), needs=("input", "begin"), shape_only=("input",), trace_words=traced.slice_, moves=True,
    bounded=True,
)
def slice_(xp, input, begin, size):
    sizes = size.tolist()
    if len(sizes) != len(input.shape):
        raise ValueError(
            "Expected begin and size arguments to be 1-D tensors of size "
            f"{len(input.shape)}, but got shape [{len(sizes)}] for size instead."
        )
    if not isinstance(begin, np.ndarray):
        if -1 in sizes:
            raise NeedsValue(None, "begin")
        return xp.dynamic_slice(input, [xp.reshape(xp.slice(begin, (i,), (1,)), ()) for i in range(len(sizes))], sizes)
    starts = begin.tolist()
    sizes = [n - b if s == -1 else s for s, b, n in zip(sizes, starts, input.shape, strict=True)]
    for i, (b, s, n) in enumerate(zip(starts, sizes, input.shape, strict=True)):
        if not 0 <= b <= n:
            raise ValueError(f"Expected begin[{i}] in [0, {n}], but got {b}")
        if not 0 <= s <= n - b:
            raise ValueError(f"Expected size[{i}] in [0, {n - b}], but got {s}")
    return xp.compact(xp.slice(input, starts, sizes), input)


# --- padding ----------------------------------------------------------------------------------------------------------


def _pad_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (xp.pad_grad_like(cts[0], inputs[0], inputs[1]), None)


@op(
    "Pad", shape=rules.pad, grad=_pad_grad, static=("paddings",), needs=("input", "paddings"), shape_only=("input",),
    trace_words=traced.pad,
)
def pad(xp, input, paddings):
    return xp.pad(
        input, _pairs(input, paddings), xp.const(0, input) if input.dtype != object else np.array(b"", object)
    )


def _pad_v2_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.pad_grad_like(cts[0], inputs[0], inputs[1]), None, None


@op(
    "PadV2", shape=rules.pad, grad=_pad_v2_grad, static=("paddings",), needs=("input", "paddings"),
    nondiff=("constant_values",), trace_words=traced.pad,
)
def pad_v2(xp, input, paddings, constant_values):
    require.scalar("constant_values", constant_values)
    return xp.pad(input, _pairs(input, paddings), constant_values)


def _pairs(input, paddings):
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise ValueError(f"paddings must be a matrix with 2 columns: {rules.text(paddings.shape)}")
    if len(paddings) != len(input.shape):
        raise ValueError(
            "The first dimension of paddings must be the rank of inputs"
            f"{rules.text(paddings.shape)} {rules.text(input.shape)}"
        )
    if paddings.size and paddings.min() < 0:
        raise ValueError(f"Paddings must be non-negative: {' '.join(map(str, paddings[(paddings < 0).any(1)][0]))}")
    return paddings.tolist()


def _mirror_pad_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.mirror_pad_back(cts[0], inputs[1], attrs["mode"]), None


@op(
    "MirrorPad", shape=rules.pad, grad=_mirror_pad_grad, static=("paddings",), needs=("paddings",),
    trace_words=traced.pad,
)
def mirror_pad(xp, input, paddings, mode):
    pairs = _pairs(input, paddings)
    limit = 1 if mode == "REFLECT" else 0
    for n, (before, after) in zip(input.shape, pairs, strict=True):
        if max(before, after) > n - limit:
            raise ValueError(
                "paddings must be "
                + ("less than" if limit else "no greater than")
                + f" the dimension size: {before}, {after} {'not less than' if limit else 'greater than'} {n}"
            )
    return xp.mirror_pad(input, pairs, mode)


def _unpadded(f):
    dims, paddings = f.shapes[0], f.values[1]
    if dims is None:
        return [None if not f.shapes[1] or f.shapes[1][0] is None else (None,) * f.shapes[1][0]]
    if not isinstance(paddings, tuple):
        return [(None,) * len(dims)]
    return [tuple(None if d is None or None in p else d - p[0] - p[1] for d, p in zip(dims, paddings, strict=True))]


def _mirror_pad_grad_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.mirror_pad_by(cts[0], inputs[1], attrs["mode"]), None


@op(
    "MirrorPadGrad", shape=_unpadded, grad=_mirror_pad_grad_grad, static=("paddings",), needs=("paddings",),
    trace_words=traced.pad,
)
def mirror_pad_grad(xp, input, paddings, mode):
    pairs = _pairs(input, paddings)
    reflects = mode == "REFLECT"  # the edge itself is not repeated
    for size, (before, after) in zip(input.shape, pairs, strict=True):
        left = size - before - after
        if left <= 0:
            words = (
                f"Total paddings must be less than the input dimension size: {before + after} was not less than {size}"
            )
            raise ValueError(words)
        if max(before, after) > left - reflects:
            words = "less than the output dimension size: {}, {} not less than {}" if reflects else (
                "no greater than the output dimension size: {}, {} greater than {}"
            )
            raise ValueError(f"paddings must be {words.format(before, after, left)}")
    return xp.mirror_pad_grad(input, pairs, mode)
