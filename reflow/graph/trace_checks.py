"""Which op objects to what while a graph is built, in the order of TensorFlow's shape functions.

A check takes `NodeFacts` and raises a `Misfit`. `NAMES` are asked when a shape rule has objected: they say the same in TensorFlow's words, or
nothing, and then TensorFlow waits for the op to run. `CHECKS` are asked first: their ops have no rule that objects.
"""

from __future__ import annotations

import math

from reflow.graph.trace_words import (
    Misfit,
    broadcastable,
    divisible,
    equal,
    is_value,
    not_negative,
    rank,
    rank_at_least,
    rank_at_most,
    same_shape,
    starts_with,
)
from reflow.ops.shape_rules import known, text

#: op -> check, asked where a rule objects
NAMES: dict = {}
#: op -> check, asked before the rule
CHECKS: dict = {}


def words(*names):
    return _register(NAMES, names)


def checks(*names):
    return _register(CHECKS, names)


def _register(table, names):
    def register(check):
        table.update(dict.fromkeys(names, check))
        return check

    return register


def as_told(asked=()):
    """The rule's own words are TensorFlow's."""
    raise Misfit("", asked)


def numbers(value) -> tuple | None:
    """A known vector or scalar, as a tuple."""
    if value is None or not known(value):
        return None
    return value if isinstance(value, tuple) else (value,)


# --- products and elementwise ---------------------------------------------------------------------------------------


@words("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _product(f):
    a, b = f.shapes
    plain = f.op.name == "MatMul"
    for dims in (a, b):
        (rank if plain else rank_at_least)(dims, 2)
    if a is None or b is None:
        return
    flip_a, flip_b = (f.attrs.get(n, False) for n in (("transpose_a", "transpose_b") if plain else ("adj_x", "adj_y")))
    equal(a[-2 if flip_a else -1], b[-1 if flip_b else -2])
    broadcastable([a[:-2], b[:-2]])


@checks("BatchMatMul")
def _equal_batches(f):
    if None not in f.shapes:
        same_shape(f.shapes[0][:-2], f.shapes[1][:-2])


@checks("Einsum")
def _einsum(f):
    given, _, _ = f.attrs["equation"].partition("->")
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


@checks("BroadcastTo")
def _broadcast_to(f):
    dims, wanted = f.shapes[0], numbers(f.values[1])
    rank(f.shapes[1], 1)
    if wanted is not None:
        rank_at_most(dims, len(wanted))
        broadcastable([dims, wanted], as_shapes=(1,))


@words("BroadcastArgs")
def _not_before_it_runs(f):
    """Shapes that are values are compared when it runs."""


@words("AddN", "Pack", "AccumulateNV2")
def _merge_all(f):
    merged = f.shapes[-1]
    for i in range(len(f.shapes) - 2, -1, -1):
        same_shape(f.shapes[i], merged, why=f"\n\tFrom merging shape {i} with other shapes.")
    as_told()


@checks("Cross")
def _cross(f):
    rank_at_least(f.shapes[0], 1)
    same_shape(*f.shapes)
    if f.shapes[0]:
        is_value(f.shapes[0][-1], 3)


@words("StringJoin")
def _join(f):
    shapes = [s for s in f.shapes if s != ()]
    for other in shapes[1:]:
        same_shape(shapes[0], other)


# --- joining and cutting --------------------------------------------------------------------------------------------


@words("ConcatV2", "Concat")
def _concat(f):
    last = len(f.shapes) - 1 if f.op.name == "ConcatV2" else 0
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


@words("Unpack")
def _unpack(f):
    dims, axis = f.shapes[0], f.attrs.get("axis", 0)
    if dims is not None:
        if not -len(dims) <= axis < len(dims):
            raise Misfit(f"Invalid axis: {axis}; must be in [-{len(dims)},{len(dims)})")
        is_value(dims[axis], f.attrs["num"])
    as_told()


@words("Split")
def _split(f):
    axis, dims = f.values[0], f.shapes[1]
    if not isinstance(axis, int) or dims is None:
        return
    if not -len(dims) <= axis < len(dims):
        raise Misfit(f"Dimension size, given by scalar input 1 must be in range [-{len(dims)}, {len(dims)})", (0,))
    why = "\n\tNumber of ways to split should evenly divide the split dimension"
    divisible(dims[axis], f.attrs["num_split"], (0,), why)


@words("SplitV")
def _split_v(f):
    dims, sizes, axis = f.shapes[0], numbers(f.values[1]), f.values[2]
    if dims is None or sizes is None or not isinstance(axis, int):
        return
    if not -len(dims) <= axis < len(dims):
        raise Misfit(f"Dimension size, given by scalar input 2 must be in range [-{len(dims)}, {len(dims)})", (2,))
    size, total = dims[axis], sum(s for s in sizes if s != -1)
    if size is not None and (total > size if -1 in sizes else total != size):
        raise Misfit(f"can't split axis of size {size} into pieces of size {text(sizes)}", (1, 2))


@checks("Reshape")
def _reshape_by(f):
    rank(f.shapes[1], 1)
    _sizes(f.values[1])


def _sizes(value):
    """What a shape function reads as a shape: -1 is unknown."""
    for size in numbers(value) or ():
        if isinstance(size, int) and size < -1:
            raise Misfit(f"Invalid value in tensor used for shape: {size}", bare=True)


@words("Reshape")
def _reshape(f):
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


@words("ExpandDims")
def _expand(f):
    dims, axis = f.shapes[0], f.values[1]
    if dims is not None and isinstance(axis, int) and not -len(dims) - 1 <= axis <= len(dims):
        raise Misfit(f"dim {axis} not in the interval [{-len(dims) - 1}, {len(dims)}].", (1,))


@words("Squeeze")
def _squeeze(f):
    dims = f.shapes[0]
    for i, axis in enumerate(f.attrs.get("squeeze_dims", ())):
        if dims is not None and not -len(dims) <= axis < len(dims):
            raise Misfit(f"squeeze_dims[{i}] not in [-{len(dims)},{len(dims)}).")
    as_told()


@checks("Transpose")
@words("Transpose")  # an axis that is named twice is found when it runs
def _transpose(f):
    dims, perm = f.shapes[0], numbers(f.values[1])
    rank(f.shapes[1], 1)
    if dims is None:
        return
    if f.shapes[1]:
        is_value(f.shapes[1][0], len(dims))
    for axis in perm or ():
        if not -len(dims) <= axis < len(dims):
            raise Misfit(f"perm dim {axis} is out of range of input rank {len(dims)}", (1,))


@words("Tile")
def _tile(f):
    if f.shapes[0] is not None and f.shapes[1] and f.shapes[1][0] is not None:
        rank((None,) * f.shapes[1][0], len(f.shapes[0]))
    as_told()


@words("Pad", "PadV2", "MirrorPad", "MirrorPadGrad")
def _pad(f):
    rank(f.shapes[1], 2)
    if f.shapes[1] is not None:
        if f.shapes[1][1] is not None:
            is_value(f.shapes[1][1], 2)
        if f.shapes[1][0] is not None:
            rank(f.shapes[0], f.shapes[1][0])
    as_told()


@words("Slice")
def _slice(f):
    for dims in f.shapes[1:]:
        rank(dims, 1)
    same_shape(f.shapes[1], f.shapes[2])
    if f.shapes[1] and f.shapes[1][0] is not None:
        rank(f.shapes[0], f.shapes[1][0])


@checks("ReverseV2")
def _reverse(f):
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


@words("SpaceToBatchND", "BatchToSpaceND")
def _blocks(f):
    dims, block, edges = f.shapes[0], numbers(f.values[1]), f.values[2]
    if dims is None or block is None or edges is None or not known(edges):
        return
    if f.op.name == "BatchToSpaceND":
        left = dims[0]
        for b in block:
            divisible(left, b, (1, 2))
            left = None if left is None else left // b
        as_told()
    for size, b, edge in zip(dims[1:], block, edges):
        divisible(None if size is None else size + sum(edge), b, (1, 2))
    as_told()


@checks("Fill")
def _fill(f):
    rank(f.shapes[0], 1)
    rank(f.shapes[1], 0)
    _sizes(f.values[0])


@words("Range")
def _range_steps(f):
    if f.values[2] == 0:
        raise Misfit("Requires delta != 0", (0, 1, 2))
    as_told((0, 1, 2))


@checks("Range", "LinSpace")
def _range(f):
    for dims, name in zip(f.shapes, [a.name for a in f.op.definition.inputs], strict=True):
        if dims:
            raise Misfit(f"Shape must be rank 0 but is rank {len(dims)}\n\t for '{name}'")


@checks("OneHot")
def _one_hot(f):
    if f.shapes[1]:
        raise Misfit(f"Input must be scalar but has rank {len(f.shapes[1])}", (1,))
    not_negative(f.values[1], 1)


@words("EnsureShape")
def _ensure(f):
    if f.attrs["shape"] is not None:
        rank(f.shapes[0], len(f.attrs["shape"]))
        same_shape(f.attrs["shape"], f.shapes[0])


@words("Bitcast")
def _bitcast(f):
    given, wanted = f.dtypes[0], f.attrs["type"]
    if wanted.size > given.size and f.shapes[0]:
        parts, last = wanted.size // given.size, f.shapes[0][-1]
        raise Misfit(f"Cannot bitcast from {given.enum} to {wanted.enum} due to shape. {last} does not match {parts}")
    as_told()


# --- gather, scatter, segments --------------------------------------------------------------------------------------


@words("GatherV2", "ResourceGather")
def _gather(f):
    """Batch dimensions that differ are found when it runs."""
    dims, axis = f.shapes[0], f.values[2] if len(f.values) > 2 else 0
    rank_at_least(dims, 1)
    if isinstance(axis, int):
        rank_at_least(dims, axis + 1 if axis >= 0 else -axis, (2,))


@checks("GatherNd")
def _gather_nd(f):
    rank_at_least(f.shapes[1], 1)
    if f.shapes[0] is not None and f.shapes[1] and f.shapes[1][-1] is not None and f.shapes[1][-1] > len(f.shapes[0]):
        raise Misfit(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{text(f.shapes[1])} and params shape: {text(f.shapes[0])}"
        )


def _scatter(dims, indices, updates, scalars=False):
    rank_at_least(indices, 1)
    if indices is None or updates is None or scalars and not updates:
        return
    outer = len(indices) - 1
    _must_match(f"[0,{outer})", "indices", indices, indices[:-1], f"[0,{outer})", updates, updates[:outer])
    if dims is None or indices[-1] is None:
        return
    k, at = indices[-1], f"[{outer},{len(updates)})"
    _must_match(f"[{k},{len(dims)})", "input", dims, dims[k:], at, updates, updates[outer:])


def _must_match(range_, name, whole, part, at, updates, other):
    before = (
        f"Dimensions {range_} of {name}[shape={text(whole)}] = {text(part)} must match dimensions {at} of "
        f"updates[shape={text(updates)}] = {text(other)}: "
    )
    same_shape(part, other, before=before)


@checks("ScatterNd")
def _scatter_nd(f):
    value = f.values[2]
    _scatter(None if value is None else tuple(value), f.shapes[0], f.shapes[1])


@checks("TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMin", "TensorScatterMax")
@checks("ScatterNdNonAliasingAdd")
def _tensor_scatter(f):
    rank_at_least(f.shapes[0], 1)
    _scatter(f.shapes[0], f.shapes[1], f.shapes[2], scalars=True)


@checks("ResourceScatterNdUpdate", "ResourceScatterNdAdd", "ResourceScatterNdSub")
def _resource_scatter(f):
    _scatter(getattr(f.values[0], "dims", None), f.shapes[1], f.shapes[2])


@checks("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax")
def _segment(f):
    rank_at_least(f.shapes[0], 1)
    rank(f.shapes[1], 1)


@checks("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")
def _sparse_segment(f):
    rank_at_least(f.shapes[0], 1)
    rank(f.shapes[1], 1)
    rank(f.shapes[2], 1)
    same_shape(f.shapes[1], f.shapes[2])


@checks("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax", "UnsortedSegmentJoin")
@checks("SegmentSumV2", "SegmentProdV2", "SegmentMinV2", "SegmentMaxV2")
def _unsorted_segment(f):
    starts_with(f.shapes[0], f.shapes[1])
    not_negative(f.values[2], 2)


@checks("DynamicPartition")
def _partition(f):
    starts_with(f.shapes[0], f.shapes[1])


@checks("DynamicStitch", "ParallelDynamicStitch")
def _stitch(f):
    count = len(f.shapes) // 2
    for indices, data in zip(f.shapes[:count], f.shapes[count:], strict=True):
        starts_with(data, indices)
    rests = [d[len(i) :] for i, d in zip(f.shapes[:count], f.shapes[count:], strict=True) if None not in (i, d)]
    for rest in rests[1:]:
        same_shape(rests[0], rest)


@checks("ReverseSequence")
def _reverse_sequence(f):
    dims, lengths, batch = f.shapes[0], f.shapes[1], f.attrs.get("batch_dim", 0)
    rank(lengths, 1)
    if dims is not None and lengths is not None and batch < len(dims):
        equal(dims[batch], lengths[0])


# --- reductions -----------------------------------------------------------------------------------------------------


@words("Sum", "Mean", "Prod", "Max", "Min", "All", "Any", "EuclideanNorm", "ReduceJoin")
def _reduce(f):
    dims = f.shapes[0]
    for axis in numbers(f.values[1]) or ():
        if dims is not None and not -len(dims) <= axis < len(dims):
            raise Misfit(f"Invalid reduction dimension {axis} for input with {len(dims)} dimensions.", (1,))


@words("ArgMax", "ArgMin")
def _arg_reduce(f):
    dims, axis = f.shapes[0], f.values[1]
    if dims is not None and isinstance(axis, int) and len(dims) > 1 and not -len(dims) <= axis < len(dims):
        n = len(dims)
        told = f"must be in the range [{-n}, {n}), where {n} is the number of dimensions in the input."
        raise Misfit(f"Dimension ({axis}) {told}", (1,))


@checks("TopKV2")
def _top_k(f):
    dims, k = f.shapes[0], f.values[1]
    rank_at_least(dims, 1)
    not_negative(k, 1)
    if dims is not None and isinstance(k, int) and dims[-1] is not None and dims[-1] < k:
        raise Misfit(f"input must have last dimension >= k = {k} but is {dims[-1]}", (1,))


@checks("InTopKV2")
def _in_top_k(f):
    rank(f.shapes[0], 2)
    rank(f.shapes[1], 1)
    if f.shapes[0] is not None and f.shapes[1] is not None:
        equal(f.shapes[0][0], f.shapes[1][0])


def told(op, facts, objection) -> Misfit | None:
    """A shape rule's objection, as TensorFlow puts it; None if it has none yet and waits for the op to run."""
    check = NAMES.get(op.name)
    try:
        if check is not None:
            check(facts)
            return None
        if str(objection).startswith(("Incompatible shapes", "condition ")):
            broadcastable(facts.shapes[-2:])
            broadcastable(facts.shapes)
        if op.name == "StridedSlice":
            return Misfit(str(objection), (1, 2, 3) if str(objection).startswith("slice index") else (3,))
        return Misfit(str(objection))
    except Misfit as misfit:
        misfit.args = (str(misfit) or str(objection),)
        return misfit
