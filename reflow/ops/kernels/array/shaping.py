"""Ops that hand on, measure, make and rearrange arrays. Slices and pads are in `slicing.py`, indexing in `gather.py`."""

from __future__ import annotations

import math

import numpy as np

from reflow.core import dtypes
from reflow.core.tensor import HostObject
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op

# --- handing on -----------------------------------------------------------------------------------------------------


def _pass(xp, attrs, inputs, outputs, cts, wanted):
    return cts


def _pass_tensors(attrs, inputs, outputs, cts, wanted):
    """Gradients pass as they are: `IndexedSlices` stay sparse."""
    return list(cts)


def _attr_shape(f):
    return [f.attr("shape")]


def _const_shape(f):
    value = f.attrs["value"]
    return [tuple(value.shape) if hasattr(value, "shape") else None]


@op("Const", shape=_const_shape, value=rules.value_const, grad=NO_GRADIENT)
def const(xp, value, dtype=None):
    return value


@op("Identity", shape=rules.same, value=rules.value_same, grad=_pass, grad_tensors=_pass_tensors, needs=())
def identity(xp, input):
    return input


@op("Snapshot", shape=rules.same, value=rules.value_same, grad=_pass, grad_tensors=_pass_tensors, needs=())
def snapshot(xp, input):
    return input


@op("DeepCopy", shape=rules.same, grad=NO_GRADIENT, stateful=False)
def deep_copy(xp, x):
    return x


@op("GuaranteeConst", shape=rules.same, value=rules.value_same, grad=_pass, needs=(), stateful=False)
def guarantee_const(xp, input):
    return input


@op("IdentityN", shape=rules.same_all, value=rules.value_same_all, grad=_pass, grad_tensors=_pass_tensors, needs=())
def identity_n(xp, input):
    return tuple(input)


@op("StopGradient", shape=rules.same, value=rules.value_same, grad=NO_GRADIENT)
def stop_gradient(xp, input):
    return input


def _prevented(xp, attrs, inputs, outputs, cts, wanted):
    raise LookupError(f"Gradient explicitly disabled. Reason: {attrs.get('message', '')}")


@op("PreventGradient", shape=rules.same, value=rules.value_same, grad=_prevented, needs=())
def prevent_gradient(xp, input, message=""):
    return input


@op("Placeholder", shape=_attr_shape, grad=NO_GRADIENT, host=True)
def placeholder(xp, dtype=None, shape=None):
    from reflow.core.errors import InvalidArgumentError

    raise InvalidArgumentError(
        None, None, f"You must feed a value for placeholder tensor with dtype {dtype.name} and shape {shape}"
    )


def _with_default_shape(f):
    return [f.attr("shape")]


@op("PlaceholderWithDefault", shape=_with_default_shape, grad=_pass, needs=())
def placeholder_with_default(xp, input, shape=None):
    return input


def _ensured(f):
    from reflow.core.shapes import dims_of, merge

    try:
        return [merge(f.shapes[0], dims_of(f.attrs["shape"]))]
    except ValueError:
        raise ValueError(
            f"Shape of tensor input {rules.text(f.shapes[0])} is not compatible with expected shape "
            f"{rules.text(dims_of(f.attrs['shape']))}."
        ) from None


@op("EnsureShape", shape=_ensured, value=rules.value_same, grad=_pass, needs=())
def ensure_shape(xp, input, shape):
    dims = xp.shape(input)
    if shape is not None and (
        len(dims) != len(shape) or any(w not in (None, d) for d, w in zip(dims, shape, strict=True))
    ):
        raise ValueError(
            f"Shape of tensor input {rules.text(dims)} is not compatible with expected shape {rules.text(shape)}."
        )
    return input


# --- measuring: results are host arrays on both sides, so that they can feed static operands ---------------------------


@op("Shape", shape=rules.shape_vector, value=rules.value_shape, grad=NO_GRADIENT)
def shape(xp, input, out_type=dtypes.int32):
    return np.array(input.shape, out_type.np_dtype)


def _shape_vectors(f):
    return [(None,) if s is None else (len(s),) for s in f.shapes]


@op("ShapeN", shape=_shape_vectors, value=rules.value_shape_n, grad=NO_GRADIENT)
def shape_n(xp, input, out_type=dtypes.int32):
    return tuple(np.array(x.shape, out_type.np_dtype) for x in input)


@op("Size", shape=rules.scalar, value=rules.value_size, grad=NO_GRADIENT)
def size(xp, input, out_type=dtypes.int32):
    return np.array(math.prod(input.shape), out_type.np_dtype)


@op("Rank", shape=rules.scalar, value=rules.value_rank, grad=NO_GRADIENT)
def rank(xp, input):
    return np.array(len(input.shape), np.int32)


def _broadcast_args_shape(f):
    a, b = f.shapes
    lengths = [None if s is None else s[0] for s in (a, b)]
    return [(None,) if None in lengths else (max(lengths),)]


def _broadcast_args_value(f):
    a, b = f.values
    if isinstance(a, tuple) and isinstance(b, tuple):
        return rules.broadcast_dims(a, b)
    return None


@op("BroadcastArgs", shape=_broadcast_args_shape, value=_broadcast_args_value, grad=NO_GRADIENT, static=("s0", "s1"))
def broadcast_args(xp, s0, s1):
    return np.array(rules.broadcast_dims(tuple(s0.tolist()), tuple(s1.tolist())), s0.dtype)


@op("BroadcastGradientArgs", shape=lambda f: [(None,), (None,)], grad=NO_GRADIENT, static=("s0", "s1"))
def broadcast_gradient_args(xp, s0, s1):
    """The axes over which the gradients of the two operands of a broadcasting op are summed."""
    a, b = s0.tolist(), s1.tolist()
    rank = len(rules.broadcast_dims(tuple(a), tuple(b)))
    if a == b:
        return np.zeros(0, s0.dtype), np.zeros(0, s0.dtype)
    # axes where both are 1 are listed too, as TensorFlow does: summing over them changes nothing
    return tuple(
        np.array([i for i, d in enumerate([1] * (rank - len(dims)) + dims) if d == 1], s0.dtype) for dims in (a, b)
    )


@op("InvertPermutation", shape=rules.same_of_rank(1), grad=NO_GRADIENT)
def invert_permutation(xp, x):
    if isinstance(x, np.ndarray):
        out = np.full(x.shape, -1, x.dtype)
        for i, p in enumerate(x.tolist()):
            if not 0 <= p < len(out):
                raise ValueError(f"{p} is not between 0 and {len(out)}")
            if out[p] != -1:
                raise ValueError(f"{p} is duplicated in the input.")
            out[p] = i
        return out
    return xp.cast(xp.argsort(x, 0), x.dtype)


# --- shape ----------------------------------------------------------------------------------------------------------


def sizes(shape) -> tuple:
    """A static shape operand as ints; one number is a shape of one dimension."""
    if shape.ndim > 1:
        raise ValueError(f"sizes input must be 1-D, not {list(shape.shape)}")
    return tuple(shape.reshape(-1).tolist())


def _reshape_back(xp, attrs, inputs, outputs, cts, wanted):
    return [xp.reshape_like(cts[0], inputs[0])] + [None] * (len(inputs) - 1)


@op(
    "Reshape",
    shape=rules.reshape,
    value=rules.value_reshape,
    grad=_reshape_back,
    static=("shape",),
    needs=("tensor",),
    likes=("tensor",),
)
def reshape(xp, tensor, shape):
    wanted = sizes(shape)
    if math.prod(wanted) != math.prod(tensor.shape) or -1 in wanted:  # -1, or an error of the user
        known, total = math.prod([n for n in wanted if n != -1]), math.prod(tensor.shape)
        if not known and not total:  # sizes of 0 do not count: [0, 6] as [0, -1] is [0, 6]
            known, total = (math.prod([n for n in dims if n > 0]) for dims in (wanted, tensor.shape))
            total -= total % known
        if wanted.count(-1) != 1 or not known or total % known:
            raise ValueError(f"Input to reshape is a tensor with {total} values, but the requested shape has {known}")
        wanted = tuple([total // known if n == -1 else n for n in wanted])
    return xp.reshape(tensor, wanted)


@op(
    "ExpandDims",
    shape=rules.expand_dims,
    value=rules.value_expand_dims,
    grad=_reshape_back,
    static=("dim",),
    needs=("input",),
    likes=("input",),
)
def expand_dims(xp, input, dim):
    if dim.size != 1:
        raise ValueError("'dim' must be a tensor with a single value")
    axis, ndim = int(dim.reshape(())), len(input.shape)
    if not -ndim - 1 <= axis <= ndim:
        raise ValueError(f"Tried to expand dim index {axis} for tensor with {ndim} dimensions.")
    axis %= ndim + 1
    return xp.reshape(input, (*input.shape[:axis], 1, *input.shape[axis:]))


@op("Squeeze", shape=rules.squeeze, value=rules.value_squeeze, grad=_reshape_back, needs=("input",), likes=("input",))
def squeeze(xp, input, squeeze_dims=()):
    dims = input.shape
    axes = (
        {a % len(dims) for a in squeeze_dims if -len(dims) <= a < len(dims)}
        if squeeze_dims
        else {i for i, n in enumerate(dims) if n == 1}
    )
    if (squeeze_dims and len(axes) != len(set(squeeze_dims))) or any(dims[a] != 1 for a in axes):
        raise ValueError(f"Can not squeeze {squeeze_dims} of shape {dims}")
    return xp.reshape(input, tuple([n for i, n in enumerate(dims) if i not in axes]))


def _transpose_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.transpose_back(cts[0], inputs[1]), None


@op("Transpose", shape=rules.transpose, grad=_transpose_grad, static=("perm",), needs=("perm",))
def transpose(xp, x, perm):
    return xp.transpose(x, tuple(perm.tolist()))


def _conjugate_transpose_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.conj(xp.transpose_back(cts[0], inputs[1])), None


@op("ConjugateTranspose", shape=rules.transpose, grad=_conjugate_transpose_grad, static=("perm",), needs=("perm",))
def conjugate_transpose(xp, x, perm):
    return xp.conj(xp.transpose(x, tuple(perm.tolist())))


def _sum_back(xp, attrs, inputs, outputs, cts, wanted):
    return xp.sum_to_like(cts[0], inputs[0]), None


@op(
    "BroadcastTo",
    shape=rules.broadcast_to,
    value=rules.value_broadcast_to,
    grad=_sum_back,
    static=("shape",),
    needs=("input",),
    likes=("input",),
)
def broadcast_to(xp, input, shape):
    wanted = tuple(shape.tolist())
    return xp.materialize(xp.broadcast_to(input, wanted))


def _tile_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.tile_grad_like(cts[0], inputs[0], inputs[1]), None


@op("Tile", shape=rules.tile, grad=_tile_grad, static=("multiples",), needs=("input", "multiples"))
def tile(xp, input, multiples):
    times = tuple(multiples.tolist())
    if len(times) != len(input.shape):
        raise ValueError(
            f"Expected multiples argument to be a vector of length {len(input.shape)} but got length {len(times)}"
        )
    return input if all(m == 1 for m in times) else xp.tile(input, times)


# --- joining and parting --------------------------------------------------------------------------------------------


def _pack_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.unstack(cts[0], len(inputs), attrs.get("axis", 0))


@op("Pack", shape=rules.pack, value=rules.value_pack, grad=_pack_grad, needs=())
def pack(xp, values, axis=0):
    return xp.stack(values, axis)


def _zeros_for_none(xp, outputs, cts):
    return [xp.zeros_like(o) if c is None else c for o, c in zip(outputs, cts, strict=True)]


def _unpack_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (xp.stack(_zeros_for_none(xp, outputs, cts), attrs.get("axis", 0)),)


@op("Unpack", shape=rules.unpack, value=rules.value_unpack, grad=_unpack_grad, needs=("output",), likes=("output",))
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
    "ConcatV2",
    shape=rules.concat,
    value=rules.value_concat,
    grad=_concat_grad,
    static=("axis",),
    needs=("values", "axis"),
    likes=("values",),
)
def concat(xp, values, axis):
    return values[0] if len(values) == 1 else xp.concat(values, int(axis))


def _concat_v1(f):
    return rules.concat(
        rules.NodeFacts(f.op, f.dtypes, f.shapes[1:] + f.shapes[:1], f.values[1:] + f.values[:1], f.attrs)
    )


def _concat_v1_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (None, *xp.concat_grads(cts[0], list(inputs[1:]), inputs[0]))


@op("Concat", shape=_concat_v1, grad=_concat_v1_grad, static=("concat_dim",))
def concat_v1(xp, concat_dim, values):
    return xp.concat(values, int(concat_dim))


@op("ConcatOffset", shape=lambda f: [f.shapes[1]] * (len(f.shapes) - 1), grad=NO_GRADIENT, static=("concat_dim",))
def concat_offset(xp, concat_dim, shape):
    """Where each part of a concatenation begins."""
    axis, at, out = int(concat_dim) % max(1, len(shape[0])), 0, []
    for dims in shape:
        start = np.zeros_like(dims)
        start[axis] = at
        at += int(dims[axis])
        out.append(start)
    return tuple(out)


@op("ParallelConcat", shape=_attr_shape, grad=NO_GRADIENT)
def parallel_concat(xp, values, shape=None):
    return xp.concat(values, 0)


def _split_grad(xp, attrs, inputs, outputs, cts, wanted):
    return None, xp.concat(_zeros_for_none(xp, outputs, cts), xp.static_int(inputs[0]))


@op(
    "Split",
    shape=rules.split,
    grad=_split_grad,
    static=("split_dim",),
    needs=("split_dim", "output"),
    likes=("output",),
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
    "SplitV",
    shape=rules.split_v,
    value=rules.value_split_v,
    grad=_split_v_grad,
    static=("size_splits", "split_dim"),
    needs=("size_splits", "split_dim", "output"),
    likes=("output",),
)
def split_v(xp, value, size_splits, split_dim, num_split):
    axis = rules.split_axis(int(split_dim), value.shape)
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


@op("ReverseV2", shape=rules.same, grad=_reverse_grad, static=("axis",), needs=("axis",))
def reverse(xp, tensor, axis):
    ndim = len(tensor.shape)
    axes = [a % ndim if -ndim <= a < ndim else None for a in axis.tolist()]
    if None in axes:
        bad = axes.index(None)
        raise ValueError(f"'axis'[{bad}] = {axis[bad]} is out of valid range [0, {ndim - 1}")
    if len(set(axes)) != len(axes):
        raise ValueError(f"axis {next(a for a in axes if axes.count(a) > 1)} specified more than once.")
    return xp.flip_by(tensor, axis)


def _roll_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.roll_by(cts[0], xp.negative(inputs[1]), inputs[2]), None, None


@op("Roll", shape=rules.same, grad=_roll_grad, static=("axis",), needs=("shift", "axis"))
def roll(xp, input, shift, axis):
    return xp.roll_by(input, shift, axis)


# --- making ---------------------------------------------------------------------------------------------------------


def _fill_grad(xp, attrs, inputs, outputs, cts, wanted):
    return None, xp.sum(cts[0], None)


@op("Fill", shape=rules.fill, value=rules.value_fill, grad=_fill_grad, static=("dims",), needs=())
def fill(xp, dims, value):
    wanted = sizes(dims)
    if wanted and min(wanted) < 0:
        raise ValueError(f"Dimension {min(wanted)} must be >= 0")
    return xp.full(wanted, value, value.dtype)


@op("Empty", shape=rules.fill, grad=NO_GRADIENT, static=("shape",), stateful=False)
def empty(xp, shape, dtype, init=False):
    return xp.zeros(tuple(shape.tolist()), dtype.np_dtype)


@op("Range", shape=rules.range_, value=rules.value_range, grad=NO_GRADIENT, static=("start", "limit", "delta"))
def range_(xp, start, limit, delta):
    dtype = start.dtype
    start, limit, delta = [a.item() if a.dtype.kind in "iuf" else float(a) for a in (start, limit, delta)]
    if delta == 0:
        raise ValueError("Requires delta != 0: 0")
    if (limit - start) * delta < 0:
        raise ValueError(
            f"Requires start {'<=' if delta > 0 else '>='} limit when delta {'>' if delta > 0 else '<'} 0: "
            f"{start}/{limit}"
        )
    return xp.arange(start, limit, delta, dtype)


@op("ZerosLike", shape=rules.same, value=rules.value_like(0), grad=NO_GRADIENT)
def zeros_like(xp, x):
    return x.zeros_like() if isinstance(x, HostObject) else xp.zeros_like_any(x)


@op("OnesLike", shape=rules.same, value=rules.value_like(1), grad=NO_GRADIENT)
def ones_like(xp, x):
    return xp.ones_like(x)


def _lin_space_shape(f):
    num = f.values[2]
    return [(num if isinstance(num, int) else None,)]


@op("LinSpace", shape=_lin_space_shape, grad=NO_GRADIENT, static=("num",))
def lin_space(xp, start, stop, num):
    count = int(num)
    if count <= 0:
        raise ValueError(f"Requires num > 0: {count}")
    if count == 1:
        return xp.reshape(start, (1,))
    step = xp.divide(xp.subtract(stop, start), xp.const(count - 1, start))
    inner = xp.add(start, xp.multiply(step, xp.iota(count - 1, start.dtype)))
    return xp.concat([inner, xp.reshape(stop, (1,))], 0)


def _bitcast_shape(f):
    dims, target = f.shapes[0], f.attrs["type"]
    if dims is None or f.dtypes[0].size == target.size:
        return [dims]
    if f.dtypes[0].size > target.size:
        return [(*dims, f.dtypes[0].size // target.size)]
    times = target.size // f.dtypes[0].size
    if not dims or dims[-1] not in (None, times):
        raise ValueError(
            f"Cannot bitcast from {times} to {dims[-1]}"
            if dims
            else f"Cannot bitcast a scalar to {target.name}, which is larger"
        )
    return [dims[:-1]]


@op("Bitcast", shape=_bitcast_shape, grad=NO_GRADIENT)
def bitcast(xp, input, type):
    return xp.bitcast(input, type.np_dtype)
