"""What ops reject while a graph is built, in the order of TensorFlow's shape functions. Records name these functions.

A function takes `NodeFacts` and raises a `Misfit`. As a record's `trace_check` it runs before the shape rule, for
inputs that the rule does not reject. As its `trace_words` it runs after the shape rule has rejected the inputs: it
raises the same with TensorFlow's message; if it does not raise, TensorFlow reports the error only when the op runs.
Checks for matrices and images are in `trace_checks_shapes.py`, those for windows beside their kernels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reflow.core.types import Dims
from reflow.ops.shape_facts import NodeFacts, PartialValue, as_shape, text
from reflow.ops.trace_checks_shapes import *  # noqa: F403 - records name all of them `traced.…`
from reflow.ops.trace_words import (
    Misfit,
    as_told,
    broadcastable,
    divisible,
    equal,
    is_value,
    not_negative,
    numbers,
    rank,
    rank_at_least,
    rank_at_most,
    same_shape,
    starts_with,
)

if TYPE_CHECKING:
    from reflow.ops.record import Op

# --- products and elementwise ---------------------------------------------------------------------------------------


def product(f: NodeFacts) -> None:
    """Two matrices."""
    for dims in f.shapes:
        rank(dims, 2)
    _inner_dimensions(f, "transpose_a", "transpose_b")


def batch_product(f: NodeFacts) -> None:
    """Two batches of matrices."""
    for dims in f.shapes:
        rank_at_least(dims, 2)
    _inner_dimensions(f, "adj_x", "adj_y")


def _inner_dimensions(f: NodeFacts, flip_a: str, flip_b: str) -> None:
    a, b = f.shapes
    if a is None or b is None:
        return
    equal(a[-2 if f.attrs.get(flip_a) else -1], b[-1 if f.attrs.get(flip_b) else -2])
    broadcastable([a[:-2], b[:-2]])


def equal_batches(f: NodeFacts) -> None:
    if None not in f.shapes:
        same_shape(f.shapes[0][:-2], f.shapes[1][:-2])


def einsum(f: NodeFacts) -> None:
    equation = f.attrs["equation"].replace(" ", "")
    given, arrow, result = equation.partition("->")
    if not arrow:
        raise Misfit(f"Expecting exactly one '->' in einsum equation: {equation}")
    if len(given.split(",")) != len(f.shapes):
        raise Misfit(f"Expected {len(given.split(','))} inputs for equation {equation} but got: {len(f.shapes)}")
    for label in result.replace(".", ""):
        if label not in given:
            missing = f"has label '{label}' which is not present in the input subscripts"
            raise Misfit(f"Einsum output subscripts for equation '{equation}' {missing}")
    sizes: dict = {}
    for n, (labels, dims) in enumerate(zip(given.split(","), f.shapes, strict=True)):
        first, dots, last = labels.partition("...")
        if dims is None:
            continue
        least = len(first + last)
        if len(dims) < least or not dots and len(dims) != least:
            place = f"\n\t for {n}th input and equation: {f.attrs['equation']}"
            raise Misfit(f"Shape must be {'at least ' if dots else ''}rank {least} but is rank {len(dims)}{place}")
        named = (*dims[: len(first)], *dims[len(dims) - len(last) :]) if dots else dims
        for label, dim in zip(first + last, named, strict=True):
            if dim is not None:
                equal(sizes.setdefault(label, dim), dim)
        if dots and "..." not in result and len(dims) > least:
            where = "without ellipsis (...) in the output subscripts where input(s) have non-empty broadcasting shape"
            misfit = f"Shape must be at most rank 0 but is rank {len(dims) - least}"
            raise Misfit(f"{misfit}\n\t for einsum equation '{equation}' {where}")


def broadcast_to(f: NodeFacts) -> None:
    rank(f.shapes[1], 1)
    dims, wanted = f.shapes[0], as_shape(f.values[1], f.shapes[1])
    if dims is None or wanted is None:
        return
    rank_at_most(dims, len(wanted))
    for dim, other in zip(dims, wanted[len(wanted) - len(dims) :], strict=True):
        if None not in (dim, other) and dim != 1:
            equal(dim, other, shapes=(1,))


def nothing(f: NodeFacts) -> None:
    """TensorFlow rejects nothing before the op runs."""


def merge_all(f: NodeFacts) -> None:
    merged = f.shapes[-1]
    for i in range(len(f.shapes) - 2, -1, -1):
        same_shape(f.shapes[i], merged, why=f"\n\tFrom merging shape {i} with other shapes.")
    as_told()


def cross(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 1)
    same_shape(*f.shapes)
    if f.shapes[0]:
        is_value(f.shapes[0][-1], 3)


def string_join(f: NodeFacts) -> None:
    shapes = [s for s in f.shapes if s != ()]
    for other in shapes[1:]:
        same_shape(shapes[0], other)


# --- joining and cutting --------------------------------------------------------------------------------------------


def concat_axis(f: NodeFacts) -> None:
    """The axis of a node must be a scalar; a kernel also accepts a vector of one element."""
    if f.inputs:
        rank(f.shapes[-1 if f.op.definition.inputs[0].is_list else 0], 0)


def concat(f: NodeFacts) -> None:
    last = len(f.shapes) - 1 if f.op.definition.inputs[0].is_list else 0  # the position of the axis
    given = f.shapes[:last] + f.shapes[last + 1 :]
    first = next((s for s in given if s is not None), None)
    if first is None:
        return
    for dims in given:
        rank(dims, len(first))
    if not first:
        raise Misfit("Can't concatenate scalars (use tf.stack instead)")
    axis = f.values[last]
    if not isinstance(axis, int):
        return
    rank_at_least(first, axis + 1 if axis >= 0 else -axis, (last,))
    axis %= len(first)
    merged, *others = [dims for dims in reversed(given) if dims is not None]
    for dims in others:
        same_shape(dims[:axis], merged[:axis], (last,))
        same_shape(dims[axis + 1 :], merged[axis + 1 :], (last,))


def unpack(f: NodeFacts) -> None:
    dims, axis = f.shapes[0], f.attrs.get("axis", 0)
    if dims is not None:
        if not -len(dims) <= axis < len(dims):
            raise Misfit(f"Invalid axis: {axis}; must be in [-{len(dims)},{len(dims)})")
        is_value(dims[axis], f.attrs["num"])
    as_told()


def split(f: NodeFacts) -> None:
    axis, dims = f.values[0], f.shapes[1]
    if not isinstance(axis, int) or dims is None:
        return
    if not -len(dims) <= axis < len(dims):
        raise Misfit(f"Dimension size, given by scalar input 1 must be in range [-{len(dims)}, {len(dims)})", (0,))
    why = "\n\tNumber of ways to split should evenly divide the split dimension"
    divisible(dims[axis], f.attrs["num_split"], (0,), why)


def split_v(f: NodeFacts) -> None:
    dims, sizes, axis = f.shapes[0], numbers(f.values[1]), f.values[2]
    if dims is None or sizes is None or not isinstance(axis, int):
        return
    if not -len(dims) <= axis < len(dims):
        raise Misfit(f"Dimension size, given by scalar input 2 must be in range [-{len(dims)}, {len(dims)})", (2,))
    size, total = dims[axis], sum(s for s in sizes if s != -1)
    if size is not None and (total > size if -1 in sizes else total != size):
        raise Misfit(f"can't split axis of size {size} into pieces of size {text(sizes)}", (1, 2))


def reshape_operand(f: NodeFacts) -> None:
    rank(f.shapes[1], 1)
    _sizes(f.values[1])


def _sizes(value: PartialValue) -> None:
    """A shape as a shape function reads it: -1 is unknown."""
    for size in numbers(value) or ():
        if isinstance(size, int) and size < -1:
            raise Misfit(f"Invalid value in tensor used for shape: {size}", bare=True)


def reshape(f: NodeFacts) -> None:
    given, target = f.shapes[0], numbers(f.values[1])
    if given is None or None in given or target is None or target.count(-1) > 1:
        return
    size, wanted = math.prod(given), math.prod(d for d in target if d != -1)
    if -1 in target and wanted:
        if size % wanted:
            raise Misfit(f"Dimension size must be evenly divisible by {wanted} but is {size}", shapes=(1,))
    elif size != wanted:
        shown = text(tuple(None if d == -1 else d for d in target))
        raise Misfit(f"Cannot reshape a tensor with {size} elements to shape {shown} ({wanted} elements)", shapes=(1,))


def expand_dims(f: NodeFacts) -> None:
    dims, axis = f.shapes[0], f.values[1]
    if dims is not None and isinstance(axis, int) and not -len(dims) - 1 <= axis <= len(dims):
        raise Misfit(f"dim {axis} not in the interval [{-len(dims) - 1}, {len(dims)}].", (1,))


def squeeze(f: NodeFacts) -> None:
    dims = f.shapes[0]
    for i, axis in enumerate(f.attrs.get("squeeze_dims", ())):
        if dims is not None and not -len(dims) <= axis < len(dims):
            raise Misfit(f"squeeze_dims[{i}] not in [-{len(dims)},{len(dims)}).")
    as_told()


def transpose(f: NodeFacts) -> None:
    dims, perm = f.shapes[0], numbers(f.values[1])
    rank(f.shapes[1], 1)
    if dims is None:
        return
    if f.shapes[1]:
        is_value(f.shapes[1][0], len(dims))
    for axis in perm or ():
        if not -len(dims) <= axis < len(dims):
            raise Misfit(f"perm dim {axis} is out of range of input rank {len(dims)}", (1,))


def roll(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 1)
    for dims in f.shapes[1:]:
        rank_at_most(dims, 1)
    same_shape(f.shapes[1], f.shapes[2])


def tile(f: NodeFacts) -> None:
    rank(f.shapes[1], 1)
    if f.shapes[0] is not None and f.shapes[1] and f.shapes[1][0] is not None:
        rank((None,) * f.shapes[1][0], len(f.shapes[0]))
    as_told()


def pad(f: NodeFacts) -> None:
    rank(f.shapes[1], 2)
    if f.shapes[1] is not None:
        if f.shapes[1][1] is not None:
            is_value(f.shapes[1][1], 2)
        if f.shapes[1][0] is not None:
            rank(f.shapes[0], f.shapes[1][0])
    as_told()


def slice_(f: NodeFacts) -> None:
    for dims in f.shapes[1:]:
        rank(dims, 1)
    same_shape(f.shapes[1], f.shapes[2])
    if f.shapes[1] and f.shapes[1][0] is not None:
        rank(f.shapes[0], f.shapes[1][0])
    for d, start, size in zip(f.shapes[0] or (), numbers(f.values[1]) or (), numbers(f.values[2]) or ()):
        if size == -1 and d is not None and start > d:
            raise Misfit(f"Negative dimension size caused by subtracting {start} from {d}", (1, 2))


def reverse(f: NodeFacts) -> None:
    dims, axes = f.shapes[0], numbers(f.values[1])
    rank(f.shapes[1], 1)
    seen: set = set()
    for i, axis in enumerate(axes or ()):
        if dims is None:
            return
        at = axis + len(dims) if axis < 0 else axis
        if not 0 <= at < len(dims):
            raise Misfit(f"'axis'[{i}] = {axis} is out of valid range [0, {len(dims) - 1}", (1,))
        if at in seen:
            raise Misfit(f"axis {at} specified more than once.", (1,))
        seen.add(at)


def blocks_and_edges(f: NodeFacts) -> None:
    """A vector with the sizes of blocks, and a pair of edges for each of them."""
    block = f.shapes[1]
    if block is None or len(block) != 1:
        raise Misfit("block_shape must have rank 1.")
    if block[0] is None:
        raise Misfit("block_shape must have known size.")
    rank_at_least(f.shapes[0], block[0] + 1)
    same_shape(f.shapes[2], (block[0], 2))


def edges_of_images(f: NodeFacts) -> None:
    """Images, and a pair of edges for the height and one for the width."""
    rank(f.shapes[0], 4)
    same_shape(f.shapes[1], (2, 2))


def _moving_blocks(block: Sequence[int], edges: Sequence[Sequence[int]], name: str) -> None:
    if min(block, default=1) <= 0:
        raise Misfit("block_shape must be positive", (1, 2))
    if min((edge for pair in edges for edge in pair), default=0) < 0:
        raise Misfit(f"{name} cannot be negative", (1, 2))


def space_to_batch(f: NodeFacts) -> None:
    dims, block, edges = f.shapes[0], numbers(f.values[1]), numbers(f.values[2])
    if dims is None or block is None or edges is None:
        return
    _moving_blocks(block, edges, "paddings")
    for size, b, edge in zip(dims[1:], block, edges):
        divisible(None if size is None else size + sum(edge), b, (1, 2))
    as_told()


def batch_to_space(f: NodeFacts) -> None:
    dims, block, edges = f.shapes[0], numbers(f.values[1]), numbers(f.values[2])
    if dims is None or block is None or edges is None:
        return
    _moving_blocks(block, edges, "crops")
    left = dims[0]
    for b in block:
        divisible(left, b, (1, 2))
        left = None if left is None else left // b
    for size, b, (before, after) in zip(dims[1:], block, edges):
        if size is not None and size * b < before + after:
            first = size * b - before
            pair = f"{after} from {first}" if first >= 0 else f"{before} from {size * b}"
            raise Misfit(f"Negative dimension size caused by subtracting {pair}", (1, 2))
    as_told()


def slice_bounds(f: NodeFacts) -> None:
    """The three vectors of a slice must have equal lengths."""
    if f.inputs:  # a node; the kernel has a different message
        for dims in f.shapes[1:4]:
            rank(dims, 1)
        for dims in f.shapes[2:4]:
            same_shape(f.shapes[1], dims)


def fill(f: NodeFacts) -> None:
    rank(f.shapes[0], 1)
    if f.inputs:  # a node; the kernel accepts a vector of one element
        rank(f.shapes[1], 0)
    _sizes(f.values[0])


def range_steps(f: NodeFacts) -> None:
    if f.values[2] == 0:
        raise Misfit("Requires delta != 0", (0, 1, 2))
    as_told((0, 1, 2))


def range_(f: NodeFacts) -> None:
    for dims, name in zip(f.shapes, [a.name for a in f.op.definition.inputs], strict=True):
        if dims:
            raise Misfit(f"Shape must be rank 0 but is rank {len(dims)}\n\t for '{name}'")


def one_hot(f: NodeFacts) -> None:
    if f.attrs["axis"] < -1:
        raise Misfit("axis must be >= -1")
    if f.shapes[1]:
        raise Misfit(f"Input must be scalar but has rank {len(f.shapes[1])}", (1,))
    not_negative(f.values[1], 1)


def ensure_shape(f: NodeFacts) -> None:
    if f.attrs["shape"] is not None:
        rank(f.shapes[0], len(f.attrs["shape"]))
        same_shape(f.attrs["shape"], f.shapes[0])


def bitcast(f: NodeFacts) -> None:
    given, wanted = f.dtypes[0], f.attrs["type"]
    if wanted.size > given.size and f.shapes[0]:
        parts, last = wanted.size // given.size, f.shapes[0][-1]
        raise Misfit(f"Cannot bitcast from {given.enum} to {wanted.enum} due to shape. {last} does not match {parts}")
    as_told()


# --- gather, scatter, segments --------------------------------------------------------------------------------------


def gather(f: NodeFacts) -> None:
    """Differing batch dimensions are reported when the op runs."""
    dims, axis = f.shapes[0], f.values[2] if len(f.values) > 2 else 0
    rank_at_least(dims, 1)
    if isinstance(axis, int):
        rank_at_least(dims, axis + 1 if axis >= 0 else -axis, (2,))


def gather_nd(f: NodeFacts) -> None:
    rank_at_least(f.shapes[1], 1)
    if f.shapes[0] is not None and f.shapes[1] and f.shapes[1][-1] is not None and f.shapes[1][-1] > len(f.shapes[0]):
        raise Misfit(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{text(f.shapes[1])} and params shape: {text(f.shapes[0])}"
        )


def _scatter(dims: Dims | None, indices: Dims | None, updates: Dims | None, scalars: bool = False) -> None:
    rank_at_least(indices, 1)
    if indices is None or updates is None:
        return
    if dims is not None and None not in (*dims, *indices, *updates) and 0 in dims and 0 not in (*indices, *updates):
        raise Misfit("Indices and updates specified for empty input")
    if scalars and not updates:
        return
    outer = len(indices) - 1
    _must_match(f"[0,{outer})", "indices", indices, indices[:-1], f"[0,{outer})", updates, updates[:outer])
    if dims is None or indices[-1] is None:
        return
    k, at = indices[-1], f"[{outer},{len(updates)})"
    _must_match(f"[{k},{len(dims)})", "input", dims, dims[k:], at, updates, updates[outer:])


def _must_match(range_: str, name: str, whole: Dims, part: Dims, at: str, updates: Dims | None, other: Dims) -> None:
    before = (
        f"Dimensions {range_} of {name}[shape={text(whole)}] = {text(part)} must match dimensions {at} of "
        f"updates[shape={text(updates)}] = {text(other)}: "
    )
    same_shape(part, other, before=before)


def scatter_nd(f: NodeFacts) -> None:
    value = f.values[2]
    _scatter(None if value is None else tuple(value), f.shapes[0], f.shapes[1])


def tensor_scatter(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 1)
    _scatter(f.shapes[0], f.shapes[1], f.shapes[2], scalars=True)


def resource_scatter(f: NodeFacts) -> None:
    _scatter(getattr(f.values[0], "dims", None), f.shapes[1], f.shapes[2])


def segment(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 1)
    rank(f.shapes[1], 1)


def sparse_segment(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 1)
    rank(f.shapes[1], 1)
    rank(f.shapes[2], 1)
    same_shape(f.shapes[1], f.shapes[2])


def unsorted_segments(f: NodeFacts) -> None:
    if f.inputs:  # a node; the kernel has a different message
        rank(f.shapes[2], 0)
    starts_with(f.shapes[0], f.shapes[1])
    not_negative(f.values[2], 2)


def partition(f: NodeFacts) -> None:
    starts_with(f.shapes[0], f.shapes[1])


def stitch(f: NodeFacts) -> None:
    count = len(f.shapes) // 2
    for indices, data in zip(f.shapes[:count], f.shapes[count:], strict=True):
        starts_with(data, indices)
    rests = [d[len(i) :] for i, d in zip(f.shapes[:count], f.shapes[count:], strict=True) if None not in (i, d)]
    for rest in rests[1:]:
        same_shape(rests[0], rest)


def reverse_sequence(f: NodeFacts) -> None:
    dims, lengths, batch = f.shapes[0], f.shapes[1], f.attrs.get("batch_dim", 0)
    rank(lengths, 1)
    if dims is not None and lengths is not None and batch < len(dims):
        equal(dims[batch], lengths[0])


# --- reductions -----------------------------------------------------------------------------------------------------


def reduce(f: NodeFacts) -> None:
    dims = f.shapes[0]
    for axis in numbers(f.values[1]) or ():
        if dims is not None and not -len(dims) <= axis < len(dims):
            raise Misfit(f"Invalid reduction dimension {axis} for input with {len(dims)} dimensions.", (1,))


def arg_reduce(f: NodeFacts) -> None:
    dims, axis = f.shapes[0], f.values[1]
    if dims is not None and isinstance(axis, int) and len(dims) > 1 and not -len(dims) <= axis < len(dims):
        n = len(dims)
        told = f"must be in the range [{-n}, {n}), where {n} is the number of dimensions in the input."
        raise Misfit(f"Dimension ({axis}) {told}", (1,))


def top_k(f: NodeFacts) -> None:
    dims, k = f.shapes[0], f.values[1]
    rank_at_least(dims, 1)
    not_negative(k, 1)
    if dims is not None and isinstance(k, int) and dims[-1] is not None and dims[-1] < k:
        raise Misfit(f"input must have last dimension >= k = {k} but is {dims[-1]}", (1,))


def in_top_k(f: NodeFacts) -> None:
    rank(f.shapes[0], 2)
    rank(f.shapes[1], 1)
    if f.shapes[0] is not None and f.shapes[1] is not None:
        equal(f.shapes[0][0], f.shapes[1][0])


def told(op: Op, facts: NodeFacts, objection: Exception) -> Misfit | None:
    """A shape rule's objection with TensorFlow's message; None if TensorFlow reports it only when the op runs."""
    try:
        if op.trace_words is not None:
            op.trace_words(facts)
            return None
        if str(objection).startswith(("Incompatible shapes", "condition ")):
            broadcastable(facts.shapes[-2:])
            broadcastable(facts.shapes)
        return Misfit(str(objection))
    except Misfit as misfit:
        misfit.args = (str(misfit) or str(objection),)
        return misfit


def substring(f: NodeFacts) -> None:
    """Positions and lengths must have the same shape."""
    _, pos, count = f.shapes
    if pos is None or count is None:
        return
    rank(pos, len(count))
    for a, b in zip(pos, count, strict=True):
        if a is not None and b is not None and a != b:
            raise Misfit(f"pos and len shapes must match: {text(pos)} vs. {text(count)}")
