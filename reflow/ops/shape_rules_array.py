"""Shape rules of ops that rearrange, join, split and index arrays: a part of `shape_rules`."""

from __future__ import annotations

import math
from typing import Any

from reflow.core.shapes import dims_of, merge
from reflow.core.types import Dims
from reflow.ops.shape_facts import NodeFacts, Shapes, as_shape, known, product, text
from reflow.ops.slice_spec import slice_spec


def reshape(f: NodeFacts) -> Shapes:
    dims, wanted = f.shapes[0], f.values[1]
    if not isinstance(wanted, tuple):
        return [as_shape(wanted, f.shapes[1])]
    if wanted.count(-1) > 1:
        raise ValueError(
            "Only one input size may be -1, not both " + " and ".join(str(i) for i, w in enumerate(wanted) if w == -1)
        )
    for i, w in enumerate(wanted):
        if w is not None and w < -1:
            raise ValueError(f"Size {i} must be non-negative, not {w}")
    out = [None if w == -1 else w for w in wanted]
    total, rest = product(dims), math.prod(w for w in out if w is not None)
    if total is None:
        return [tuple(out)]
    unknowns = [i for i, w in enumerate(out) if w is None]
    if not unknowns and rest != total:
        raise ValueError(f"Input to reshape is a tensor with {total} values, but the requested shape has {rest}")
    if len(unknowns) == 1 and not rest and not total and None not in wanted:  # sizes of 0 do not count
        out[unknowns[0]] = math.prod(d for d in dims if d) // math.prod(w for w in wanted if w > 0)
    elif len(unknowns) == 1 and rest:
        if total % rest:
            raise ValueError(
                f"Input to reshape is a tensor with {total} values, but the requested shape "
                f"requires a multiple of {rest}"
            )
        out[unknowns[0]] = total // rest
    elif -1 in wanted and not rest and None not in wanted:
        raise ValueError(
            f"Input to reshape is a tensor with {total} values, but the requested shape requires a multiple of 0"
        )
    return [tuple(out)]


def _rank_of_second_input(f: NodeFacts) -> Shapes:
    """The result if the first input's shape is unknown: as many unknown sizes as the second input has rows."""
    count = f.shapes[1][0] if f.shapes[1] else None
    return [None if count is None else (None,) * count]


def transpose(f: NodeFacts) -> Shapes:
    dims, perm = f.shapes[0], f.values[1]
    if dims is None:
        return _rank_of_second_input(f)
    if f.shapes[1] is not None and len(f.shapes[1]) != 1:
        raise ValueError(f"perm must be rank 1, got shape {text(f.shapes[1])}")
    if f.shapes[1] is not None and f.shapes[1][0] not in (None, len(dims)):
        raise ValueError(
            f"transpose expects a vector of size {len(dims)}. But input(1) is a vector of size {f.shapes[1][0]}"
        )
    if not known(perm) or perm is None:
        return [(None,) * len(dims)]
    if len(perm) != len(dims):
        raise ValueError(
            f"transpose expects a vector of size {len(dims)}. But input(1) is a vector of size {len(perm)}"
        )
    for p in perm:
        if not -len(dims) <= p < len(dims):
            raise ValueError(f"{p} is out of range [0 .. {len(dims)})")
    if len({p % len(dims) for p in perm}) != len(dims):
        missing = next(i for i in range(len(dims)) if i not in {p % len(dims) for p in perm})
        raise ValueError(f"{missing} is missing from {{{','.join(map(str, perm))}}}.")
    return [tuple(dims[p] for p in perm)]


def expand_dims(f: NodeFacts) -> Shapes:
    dims, axis = f.shapes[0], f.values[1]
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    if dims is None:
        return [None]
    if axis is None:
        return [(None,) * (len(dims) + 1)]
    if not -len(dims) - 1 <= axis <= len(dims):
        raise ValueError(f"Tried to expand dim index {axis} for tensor with {len(dims)} dimensions.")
    axis %= len(dims) + 1
    return [dims[:axis] + (1,) + dims[axis:]]


def squeeze(f: NodeFacts) -> Shapes:
    dims, axes = f.shapes[0], f.attr("squeeze_dims") or ()
    if dims is None:
        return [None]
    if not axes:
        return [None] if None in dims else [tuple(d for d in dims if d != 1)]
    for axis in axes:
        if not -len(dims) <= axis < len(dims):
            raise ValueError(f"Tried to squeeze dim index {axis} for tensor with {len(dims)} dimensions.")
    axes = {a % len(dims) for a in axes}
    for axis in sorted(axes):
        if dims[axis] not in (None, 1):
            raise ValueError(f"Can not squeeze dim[{axis}], expected a dimension of 1, got {dims[axis]}")
    return [tuple(d for i, d in enumerate(dims) if i not in axes)]


def concat(f: NodeFacts) -> Shapes:
    """ConcatV2: values..., axis."""
    parts, axis = f.shapes[:-1], f.values[-1]
    ranks = {len(p) for p in parts if p is not None}
    if len(ranks) > 1:
        if 0 in ranks:
            raise ValueError("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
        a, b = next((x, y) for x in parts for y in parts if x is not None and y is not None and len(x) != len(y))
        raise ValueError(
            f"ConcatOp : Ranks of all input tensors should match: shape[0] = {text(a)} vs. shape[1] = {text(b)}"
        )
    if not ranks:
        return [None]
    rank = ranks.pop()
    if axis is None or isinstance(axis, tuple):  # a vector of one element: an eager kernel accepts it too
        return [(None,) * rank]
    if not rank:
        raise ValueError("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -rank <= axis < rank:
        raise ValueError(f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}")
    axis %= rank
    merged: Any = None  # the shape so far; `ranks` says whether there is one
    size: int | None = 0
    for index, part in enumerate(parts):
        size = None if size is None or part is None or part[axis] is None else size + part[axis]
        if part is None:
            continue
        try:
            merged = merge(merged, part[:axis] + (None,) + part[axis + 1 :])
        except ValueError:
            where = next(
                i for i in range(rank) if i != axis and None not in (merged[i], part[i]) and merged[i] != part[i]
            )
            first = next(p for p in parts if p is not None)
            raise ValueError(
                f"ConcatOp : Dimension {where} in both shapes must be equal: shape[0] = {text(first)} vs. "
                f"shape[{index}] = {text(part)}"
            ) from None
    return [merged[:axis] + (size,) + merged[axis + 1 :]]


def pack(f: NodeFacts) -> Shapes:
    merged = None
    for part in f.shapes:
        try:
            merged = merge(merged, part)
        except ValueError:
            raise ValueError(
                f"Shapes of all inputs must match: values[0].shape = {text(f.shapes[0])} != values"
                f"[{f.shapes.index(part)}].shape = {text(part)}"
            ) from None
    if merged is None:
        return [None]
    axis = f.attr("axis") or 0
    if not -len(merged) - 1 <= axis <= len(merged):
        raise ValueError(f"axis = {axis} not in [{-len(merged) - 1}, {len(merged) + 1})")
    axis %= len(merged) + 1
    return [merged[:axis] + (len(f.shapes),) + merged[axis:]]


def unpack(f: NodeFacts) -> Shapes:
    dims, count = f.shapes[0], f.attrs["num"]
    if dims is None:
        return [None] * count
    axis = f.attr("axis") or 0
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"axis = {axis} not in [{-len(dims)}, {len(dims)})")
    axis %= len(dims)
    if dims[axis] not in (None, count):
        raise ValueError(f"Input shape axis {axis} must equal {count}, got shape {text(dims)}")
    return [dims[:axis] + dims[axis + 1 :]] * count


def split_axis(axis: int, dims: Dims) -> int:
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"-input rank(-{len(dims)}) <= split_dim < input rank ({len(dims)}), but got {axis}")
    return axis % len(dims)


def _unknown_pieces(dims: Dims | None, count: int) -> Shapes:
    """The shapes of pieces along an unknown axis."""
    return [None if dims is None else (None,) * len(dims)] * count


def split(f: NodeFacts) -> Shapes:
    """Split: axis, value; attribute num_split."""
    axis, dims, count = f.values[0], f.shapes[1], f.attrs["num_split"]
    if dims is None or axis is None:
        return _unknown_pieces(dims, count)
    axis = split_axis(axis, dims)
    size = dims[axis]
    if size is not None and size % count:
        raise ValueError(
            f"Number of ways to split should evenly divide the split dimension, but got split_dim {axis} "
            f"(size = {size}) and num_split {count}"
        )
    return [dims[:axis] + (None if size is None else size // count,) + dims[axis + 1 :]] * count


def split_v(f: NodeFacts) -> Shapes:
    """SplitV: value, sizes, axis; attribute num_split."""
    dims, sizes, axis, count = f.shapes[0], f.values[1], f.values[2], f.attrs["num_split"]
    if dims is None or axis is None:
        return _unknown_pieces(dims, count)
    axis = split_axis(axis, dims)
    total = dims[axis]
    if isinstance(sizes, tuple):
        whole = known(sizes)
        sizes = [None if s == -1 else s for s in sizes]
        if whole and total is not None:
            rest = total - sum(s for s in sizes if s is not None)
            if rest < 0 or (rest and None not in sizes):
                raise ValueError(
                    "Determined shape must either match input shape along split_dim exactly if fully specified, or be "
                    f"less than the size of the input along split_dim if not fully specified.  Got: {total - rest}"
                )
            if None in sizes:
                sizes[sizes.index(None)] = rest
    else:
        sizes = [None] * count
    return [dims[:axis] + (s,) + dims[axis + 1 :] for s in sizes]


def gather(f: NodeFacts) -> Shapes:
    """GatherV2: params, indices, axis; attribute batch_dims."""
    params, indices, axis = f.shapes[0], f.shapes[1], f.values[2]
    batch = f.attr("batch_dims") or 0
    if params is None or indices is None:
        return [None]
    if axis is not None and not -len(params) <= axis < len(params):
        least = axis + 1 if axis >= 0 else -axis
        raise ValueError(f"Shape must be at least rank {least} but is rank {len(params)}")
    if not -len(indices) <= batch <= len(indices):
        raise ValueError(f"Expected batch_dims in the range [{-len(indices)}, {len(indices)}], but got {batch}")
    if batch < 0:
        batch += len(indices)
    if axis is None:
        return [(None,) * (len(params) - 1 + len(indices) - batch)]
    axis %= len(params)
    return [params[:axis] + indices[batch:] + params[axis + 1 :]]


def gather_nd(f: NodeFacts) -> Shapes:
    params, indices = f.shapes[:2]
    if params is None or indices is None or not indices or indices[-1] is None:
        return [None]
    if indices[-1] > len(params):
        raise ValueError(
            f"index innermost dimension length must be <= params rank; saw: {indices[-1]} vs. {len(params)}"
        )
    return [indices[:-1] + params[indices[-1] :]]


def resource_gather(f: NodeFacts) -> Shapes:
    """ResourceGather: the handle carries the variable's shape in attribute `_shape` when known."""
    params = f.attrs.get("_handle_shape")
    indices = f.shapes[1]
    if params is None or indices is None:
        return [None]
    return [indices + (dims_of(params) or ())[1:]]


def slice_(f: NodeFacts) -> Shapes:
    dims, begin, size = f.shapes[0], f.values[1], f.values[2]
    if dims is None:
        return [as_shape(size, f.shapes[1] or f.shapes[2])]
    for shape in f.shapes[1:]:
        if shape is not None and shape not in ((len(dims),), (None,)):
            raise ValueError(
                "Expected begin and size arguments to be 1-D tensors of size "
                f"{len(dims)}, but got shapes {text(f.shapes[1])} and {text(f.shapes[2])} instead."
            )
    out = []
    for i, d in enumerate(dims):
        b: Any = begin[i] if isinstance(begin, tuple) else None
        s: Any = size[i] if isinstance(size, tuple) else None
        if None not in (b, d) and not 0 <= b <= d:
            raise ValueError(f"Expected begin[{i}] in [0, {d}], but got {b}")
        if None not in (b, s, d) and not -1 <= s <= d - b:
            raise ValueError(f"Expected size[{i}] in [0, {d - b}], but got {s}")
        # as in TensorFlow, -1 (the rest of a dimension) counts only where all of `size` is known
        out.append((None if d is None or b is None or not known(size) else d - b) if s == -1 else s)
    return [tuple(out)]


def pad(f: NodeFacts) -> Shapes:
    dims, paddings = f.shapes[0], f.values[1]
    if f.shapes[1] is not None and (len(f.shapes[1]) != 2 or f.shapes[1][1] not in (None, 2)):
        raise ValueError(f"paddings must be a matrix with 2 columns: {text(f.shapes[1])}")
    if dims is None:
        return _rank_of_second_input(f)
    if f.shapes[1] is not None and f.shapes[1] != () and f.shapes[1][0] not in (None, len(dims)):
        raise ValueError(f"The first dimension of paddings must be the rank of inputs{text(f.shapes[1])} {text(dims)}")
    if not isinstance(paddings, tuple):
        return [(None,) * len(dims)]
    for p in paddings:
        if None not in p and min(p) < 0:
            raise ValueError(f"Paddings must be non-negative: {p[0]} {p[1]}")
    return [
        tuple(
            None if d is None or p[0] is None or p[1] is None else d + p[0] + p[1]
            for d, p in zip(dims, paddings, strict=True)
        )
    ]


def tile(f: NodeFacts) -> Shapes:
    dims, multiples = f.shapes[0], f.values[1]
    if dims is None and isinstance(multiples, tuple):
        return [tuple(0 if m == 0 else None for m in multiples)]
    if dims is None:
        return [as_shape(None, f.shapes[1])]
    if f.shapes[1] is not None and len(f.shapes[1]) != 1:
        raise ValueError(f"Expected multiples to be 1-D, but got shape {text(f.shapes[1])}")
    if f.shapes[1] is not None and f.shapes[1] not in ((len(dims),), (None,)):
        raise ValueError(
            f"Expected multiples argument to be a vector of length {len(dims)} but got length {f.shapes[1][0]}"
        )
    if not isinstance(multiples, tuple):
        return [(None,) * len(dims)]
    for i, m in enumerate(multiples):
        if m is not None and m < 0:
            raise ValueError(f"Expected multiples[{i}] >= 0, but got {m}")
    return [
        tuple(0 if m == 0 else None if d is None or m is None else d * m for d, m in zip(dims, multiples, strict=True))
    ]


def one_hot(f: NodeFacts) -> Shapes:
    indices, depth = f.shapes[0], f.values[1]
    if indices is None:
        return [None]
    axis = f.attr("axis")
    axis = len(indices) if axis in (-1, None) else axis
    return [indices[:axis] + (depth if isinstance(depth, int) else None,) + indices[axis:]]


def strided_slice(f: NodeFacts) -> Shapes:
    """StridedSlice: input, begin, end, strides; masks as attributes."""
    dims = f.shapes[0]
    if dims is None:
        return [None]
    spec = slice_spec(f.attrs, dims, f.values[1], f.values[2], f.values[3], f.shapes[1])
    return [None] if spec is None else [spec.final_shape()]
