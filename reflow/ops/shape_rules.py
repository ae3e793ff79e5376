"""Shape rules: what is known about an op's outputs when only parts of its inputs' shapes and values are known.

A rule takes `NodeFacts` and returns one plain shape per output: a tuple of `int | None`, or `None` for unknown rank. *Unknown is
always right, a guess never is.* Small integer tensors also carry a *partial value*: nested tuples of `int | None`
(a scalar is an int), or `None` if nothing is known; that is how `reshape(x, [tf.shape(x)[0], 2])` becomes `(None, 2)`.
Value rules (further down) compute those. No rule ever calls JAX. A rule raises ValueError, in TensorFlow's words,
for inputs that can never fit.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.core.shapes import TensorShape, dims_of, is_fully_known, merge, relax

MAX_VALUE_ELEMENTS = 64


class NodeFacts:
    """What is known about a node while it is built: per input its dtype, shape and partial value; its attributes."""

    __slots__ = ("op", "dtypes", "shapes", "values", "attrs")

    def __init__(self, op, dtypes, shapes, values, attrs):
        self.op, self.dtypes, self.shapes, self.values, self.attrs = op, dtypes, shapes, values, attrs

    @classmethod
    def of_eager(cls, op, inputs, attrs):
        """Facts about eager tensors: everything is known."""
        return cls(op, [t._dtype for t in inputs], [tuple(t._value.shape) for t in inputs],
                   [partial_value(t._value) for t in inputs], attrs)

    def attr(self, name, default=None):
        value = self.attrs.get(name, default)
        if value is None and name in self.op.definition.attrs:
            value = self.op.definition.attrs[name].default
        return value


def partial_value(value):
    """The partial value of a concrete array: itself as nested tuples if it is a small integer array, else None."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub" and value.size <= MAX_VALUE_ELEMENTS:
        return _tuples(value.tolist())
    return None


def _tuples(x):
    return tuple(map(_tuples, x)) if isinstance(x, list) else x


def known(value) -> bool:
    """Whether a partial value has no unknown part."""
    if isinstance(value, tuple):
        return all(map(known, value))
    return value is not None


def text(dims) -> str:
    """A shape as TensorFlow's errors write it: `[2,?]`."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


# --- families -------------------------------------------------------------------------------------------------------


def same(f):
    """One output with the shape of the first input."""
    return [f.shapes[0]]


def same_all(f):
    """Each output has the shape of the input at its position."""
    return list(f.shapes)


def scalar(f):
    return [()]


def unknown(f):
    return [None] * max(1, len(f.op.definition.outputs))


def no_outputs(f):
    return []


def broadcast_dims(a, b):
    """The broadcast of two partial shapes."""
    if a is None or b is None:
        return None
    if len(a) < len(b):
        a, b = b, a
    out = list(a)
    offset = len(a) - len(b)
    for i, y in enumerate(b):
        x = a[offset + i]
        if x == y or y == 1:
            continue
        if x == 1:
            out[offset + i] = y
        elif x is None:
            out[offset + i] = y if y is not None and y > 1 else None
        elif y is None:
            out[offset + i] = x if x > 1 else None
        else:
            raise ValueError(f"Incompatible shapes: {text(a)} vs. {text(b)}")
    return tuple(out)


def broadcast(f):
    """Elementwise ops of two inputs."""
    a, b = f.shapes[0], f.shapes[1]
    try:
        return [broadcast_dims(a, b)]
    except ValueError:
        raise ValueError(f"Incompatible shapes: {text(a)} vs. {text(b)}") from None


def broadcast_3(f):
    """Select: the condition and both branches."""
    return [broadcast_dims(broadcast_dims(f.shapes[0], f.shapes[1]), f.shapes[2])]


def _swap(dims):
    return dims[:-2] + (dims[-1], dims[-2])


def matmul(f):
    a, b = f.shapes
    if a is not None and len(a) != 2 or b is not None and len(b) != 2:
        raise ValueError(f"In[0] and In[1] has different ndims: {text(a)} vs. {text(b)}")
    a, b = a or (None, None), b or (None, None)
    left = _swap(a) if f.attr("transpose_a") else a
    right = _swap(b) if f.attr("transpose_b") else b
    if None not in (left[1], right[0]) and left[1] != right[0]:
        raise ValueError(f"Matrix size-incompatible: In[0]: {text(a)}, In[1]: {text(b)}")
    return [(left[0], right[1])]


def batch_matmul(f):
    a, b = f.shapes
    if a is None or b is None:
        return [None]
    left = _swap(a) if f.attr("adj_x") else a
    right = _swap(b) if f.attr("adj_y") else b
    if None not in (left[-1], right[-2]) and left[-1] != right[-2]:
        raise ValueError(f"Matrix size-incompatible: In[0]: {text(a)}, In[1]: {text(b)}")
    return [broadcast_dims(left[:-2], right[:-2]) + (left[-2], right[-1])] if broadcast_dims(
        left[:-2], right[:-2]) is not None else [None]


def normal_axes(axes, rank: int) -> tuple:
    """Axes as sorted non-negative ints; ValueError in TensorFlow's words if one is out of range."""
    out = []
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        if not -rank <= axis < rank:
            raise ValueError(f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)")
        out.append(axis % rank if rank else 0)
    return tuple(out)


def reduce(f):
    """Reductions: input, axes; attribute keep_dims."""
    dims, axes, keep = f.shapes[0], f.values[1], bool(f.attr("keep_dims"))
    if dims is None:
        return [None]
    if not known(axes) or axes is None:
        return [(None,) * len(dims)] if keep else ([()] if len(dims) == 0 else [None])
    axes = set(normal_axes(axes, len(dims)))
    return [tuple(1 if i in axes else d for i, d in enumerate(dims) if keep or i not in axes)]


def arg_reduce(f):
    dims, axis = f.shapes[0], f.values[1]
    if dims is None:
        return [None]
    if axis is None:
        return [(None,) * (len(dims) - 1)]
    axis = normal_axes(axis, len(dims))[0]
    return [dims[:axis] + dims[axis + 1:]]


def as_shape(value, shape):
    """The shape that a shape operand of this partial value (and own shape) describes."""
    if isinstance(value, tuple):
        return tuple(None if v is None or v < 0 else v for v in value)
    if shape is not None and len(shape) == 1 and shape[0] is not None:
        return (None,) * shape[0]
    return None


def product(dims):
    return None if dims is None or None in dims else math.prod(dims)


def reshape(f):
    dims, wanted = f.shapes[0], f.values[1]
    if not isinstance(wanted, tuple):
        return [as_shape(wanted, f.shapes[1])]
    if wanted.count(-1) > 1:
        raise ValueError("Only one input size may be -1")
    total = product(dims)
    out = [None if w == -1 else w for w in wanted]
    if total is None:
        free = [i for i, w in enumerate(wanted) if w in (-1, None)]
        if len(free) == 1 and dims is not None and dims.count(None) == 1:
            # one unknown size on each side: it passes through if the known sizes agree
            if math.prod(d for d in dims if d is not None) == math.prod(w for w in out if w is not None):
                out[free[0]] = None
        return [tuple(out)]
    rest = math.prod(w for w in out if w is not None)
    unknowns = [i for i, w in enumerate(wanted) if w in (-1, None)]
    if not unknowns and rest != total:
        raise ValueError(f"Input to reshape is a tensor with {total} values, but the requested shape has {rest}")
    if len(unknowns) == 1 and rest:
        if total % rest:
            raise ValueError(
                f"Input to reshape is a tensor with {total} values, but the requested shape requires a multiple of {rest}")
        out[unknowns[0]] = total // rest
    return [tuple(out)]


def transpose(f):
    dims, perm = f.shapes[0], f.values[1]
    if dims is None:
        count = f.shapes[1][0] if f.shapes[1] else None
        return [None if count is None else (None,) * count]
    if f.shapes[1] is not None and len(f.shapes[1]) == 1 and f.shapes[1][0] not in (None, len(dims)):
        raise ValueError(
            f"transpose expects a vector of size {len(dims)}. But input(1) is a vector of size {f.shapes[1][0]}")
    if not known(perm) or perm is None:
        return [(None,) * len(dims)]
    return [tuple(dims[p] for p in perm)]


def expand_dims(f):
    dims, axis = f.shapes[0], f.values[1]
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    if dims is None or axis is None:
        return [None]
    if not -len(dims) - 1 <= axis <= len(dims):
        raise ValueError(f"Tried to expand dim index {axis} for tensor with {len(dims)} dimensions.")
    axis %= len(dims) + 1
    return [dims[:axis] + (1,) + dims[axis:]]


def squeeze(f):
    dims, axes = f.shapes[0], f.attr("squeeze_dims") or ()
    if dims is None:
        return [None]
    if not axes:
        return [None] if None in dims else [tuple(d for d in dims if d != 1)]
    axes = {a % len(dims) for a in axes}
    for axis in axes:
        if dims[axis] not in (None, 1):
            raise ValueError(f"Can not squeeze dim[{axis}], expected a dimension of 1, got {dims[axis]}")
    return [tuple(d for i, d in enumerate(dims) if i not in axes)]


def concat(f):
    """ConcatV2: values..., axis."""
    parts, axis = f.shapes[:-1], f.values[-1]
    ranks = {len(p) for p in parts if p is not None}
    if len(ranks) > 1:
        a, b = next((x, y) for x in parts for y in parts if x is not None and y is not None and len(x) != len(y))
        raise ValueError(f"ConcatOp : Ranks of all input tensors should match: shape[0] = {text(a)} vs. shape[1] = {text(b)}")
    if not ranks:
        return [None]
    rank = ranks.pop()
    if axis is None:
        return [(None,) * rank]
    if not -rank <= axis < rank:
        raise ValueError(f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}")
    axis %= rank
    merged, size = None, 0
    for index, part in enumerate(parts):
        size = None if size is None or part is None or part[axis] is None else size + part[axis]
        if part is None:
            continue
        try:
            merged = merge(merged, part[:axis] + (None,) + part[axis + 1:])
        except ValueError:
            where = next(i for i in range(rank) if i != axis and parts[0][i] != part[i])
            raise ValueError(f"ConcatOp : Dimension {where} in both shapes must be equal: shape[0] = {text(parts[0])} vs. "
                             f"shape[{index}] = {text(part)}") from None
    return [merged[:axis] + (size,) + merged[axis + 1:]]


def pack(f):
    merged = None
    for part in f.shapes:
        try:
            merged = merge(merged, part)
        except ValueError:
            raise ValueError(f"Shapes of all inputs must match: values[0].shape = {text(f.shapes[0])} != values"
                             f"[{f.shapes.index(part)}].shape = {text(part)}") from None
    if merged is None:
        return [None]
    axis = f.attr("axis") or 0
    if not -len(merged) - 1 <= axis <= len(merged):
        raise ValueError(f"axis = {axis} not in [{-len(merged) - 1}, {len(merged) + 1})")
    axis %= len(merged) + 1
    return [merged[:axis] + (len(f.shapes),) + merged[axis:]]


def unpack(f):
    dims, count = f.shapes[0], f.attrs["num"]
    if dims is None:
        return [None] * count
    axis = (f.attr("axis") or 0) % len(dims)
    return [dims[:axis] + dims[axis + 1:]] * count


def split(f):
    """Split: axis, value; attribute num_split."""
    axis, dims, count = f.values[0], f.shapes[1], f.attrs["num_split"]
    if dims is None:
        return [None] * count
    if axis is None:
        return [(None,) * len(dims)] * count
    axis %= len(dims)
    size = dims[axis]
    if size is not None and size % count:
        raise ValueError(f"Number of ways to split should evenly divide the split dimension, but got split_dim {axis} "
                         f"(size = {size}) and num_split {count}")
    return [dims[:axis] + (None if size is None else size // count,) + dims[axis + 1:]] * count


def split_v(f):
    """SplitV: value, sizes, axis; attribute num_split."""
    dims, sizes, axis, count = f.shapes[0], f.values[1], f.values[2], f.attrs["num_split"]
    if dims is None:
        return [None] * count
    if axis is None:
        return [(None,) * len(dims)] * count
    axis %= len(dims)
    if isinstance(sizes, tuple) and known(sizes):
        total = dims[axis]
        sizes = [None if s == -1 else s for s in sizes]
        if None in sizes and total is not None:
            sizes[sizes.index(None)] = total - sum(s for s in sizes if s is not None)
    else:
        sizes = [None] * count
    return [dims[:axis] + (s,) + dims[axis + 1:] for s in sizes]


def gather(f):
    """GatherV2: params, indices, axis; attribute batch_dims."""
    params, indices, axis = f.shapes[0], f.shapes[1], f.values[2]
    batch = f.attr("batch_dims") or 0
    if params is None or indices is None or axis is None:
        return [None]
    if not -len(params) <= axis < len(params):
        raise ValueError(f"Expected axis in the range [{-len(params)}, {len(params)}), but got {axis}")
    axis %= len(params)
    batch = batch % len(indices) if batch < 0 else batch
    return [params[:axis] + indices[batch:] + params[axis + 1:]]


def gather_nd(f):
    params, indices = f.shapes
    if params is None or indices is None or not indices or indices[-1] is None:
        return [None]
    return [indices[:-1] + params[indices[-1]:]]


def resource_gather(f):
    """ResourceGather: the handle carries the variable's shape in attribute `_shape` when known."""
    params = f.attrs.get("_handle_shape")
    indices = f.shapes[1]
    if params is None or indices is None:
        return [None]
    return [indices + dims_of(params)[1:]]


def slice_(f):
    dims, begin, size = f.shapes[0], f.values[1], f.values[2]
    if dims is None:
        count = (f.shapes[1] or f.shapes[2] or (None,))[0]
        return [None if count is None else (None,) * count]
    out = []
    for i, d in enumerate(dims):
        b = begin[i] if isinstance(begin, tuple) else None
        s = size[i] if isinstance(size, tuple) else None
        out.append((None if d is None or b is None else d - b) if s == -1 else s)
    return [tuple(out)]


def pad(f):
    dims, paddings = f.shapes[0], f.values[1]
    if dims is None:
        count = f.shapes[1][0] if f.shapes[1] else None
        return [None if count is None else (None,) * count]
    if not isinstance(paddings, tuple):
        return [(None,) * len(dims)]
    return [tuple(None if d is None or p[0] is None or p[1] is None else d + p[0] + p[1]
                  for d, p in zip(dims, paddings, strict=True))]


def tile(f):
    dims, multiples = f.shapes[0], f.values[1]
    if dims is None:
        return [as_shape(None, f.shapes[1])]
    if not isinstance(multiples, tuple):
        return [(None,) * len(dims)]
    return [tuple(None if d is None or m is None else d * m for d, m in zip(dims, multiples, strict=True))]


def fill(f):
    """Ops whose first input is the shape of the output."""
    return [as_shape(f.values[0], f.shapes[0])]


def broadcast_to(f):
    return [as_shape(f.values[1], f.shapes[1])]


def range_(f):
    start, limit, delta = f.values
    if not all(isinstance(v, int) for v in (start, limit, delta)):
        return [(None,)]
    if delta == 0:
        raise ValueError("Requires delta != 0")
    if (limit - start) * delta < 0 and start != limit:
        raise ValueError(f"Requires start {'<=' if delta > 0 else '>='} limit when delta {'>' if delta > 0 else '<'} 0")
    return [(max(0, -((start - limit) // delta)),)]


def one_hot(f):
    indices, depth = f.shapes[0], f.values[1]
    if indices is None:
        return [None]
    axis = f.attr("axis")
    axis = len(indices) if axis in (-1, None) else axis
    return [indices[:axis] + (depth if isinstance(depth, int) else None,) + indices[axis:]]


def shape_vector(f):
    return [(None,) if f.shapes[0] is None else (len(f.shapes[0]),)]


def bias_add(f):
    dims, bias = f.shapes
    if dims is not None and bias is not None:
        last = dims[-1] if f.attr("data_format") != "NCHW" else dims[1]
        if None not in (last, bias[0]) and last != bias[0]:
            raise ValueError(
                f"Must provide as many biases as the last dimension of the input tensor: {text(bias)} vs. {text(dims)}")
        if dims[-1] is None and f.attr("data_format") != "NCHW":
            return [dims[:-1] + bias]
    return [dims]


def sparse_cross_entropy(f):
    logits, labels = f.shapes
    rows = None if labels is None else labels[0]
    if logits is not None and logits[0] is not None:
        rows = logits[0]
    classes = None if logits is None else logits[1]
    if logits and labels and None not in (logits[0], labels[0]) and logits[0] != labels[0]:
        raise ValueError(f"logits and labels must have the same first dimension, got logits shape {text(logits)} and labels "
                         f"shape {text(labels)}")
    return [(rows,), (rows, classes)]


def cross_entropy(f):
    both = broadcast_dims(f.shapes[0], f.shapes[1])
    return [None if both is None else both[:1], both]


def strided_slice(f):
    """StridedSlice: input, begin, end, strides; masks as attributes."""
    dims = f.shapes[0]
    if dims is None:
        return [None]
    spec = slice_spec(f.attrs, dims, f.values[1], f.values[2], f.values[3], f.shapes[1])
    return [None] if spec is None else [spec.final_shape()]


class SliceSpec:
    """A StridedSlice made plain: per input axis (begin, end, stride) with `None` where not known, and the output's axes.

    `picks[i]` is the begin, end and stride of input axis i after applying the masks; `out` lists for each output axis
    an input axis, or "new" for `tf.newaxis`; shrunk axes do not appear.
    """

    __slots__ = ("dims", "picks", "out", "shrunk")

    def __init__(self, dims, picks, out, shrunk):
        self.dims, self.picks, self.out, self.shrunk = dims, picks, out, shrunk

    def length(self, axis):
        begin, end, stride = self.picks[axis]
        dim = self.dims[axis]
        if stride is None or dim is None and not (begin == 0 and end is None and stride == 1):
            return _length_without_dim(begin, end, stride) if dim is None else None
        if dim is None:
            return None
        if begin == "?" or end == "?":
            return None
        lo, hi, step = slice(begin, end, stride).indices(dim)
        return len(range(lo, hi, step))

    def final_shape(self):
        return tuple(1 if axis == "new" else self.length(axis) for axis in self.out)


def _length_without_dim(begin, end, stride):
    """The length of a slice of an axis of unknown size: never known, except an empty range of equal signs."""
    return None


def slice_spec(attrs, dims, begin, end, strides, begin_shape) -> SliceSpec | None:
    """Apply the masks of a StridedSlice to an input of shape `dims`; None if the number of entries is not known."""
    def entries(value):
        return value if isinstance(value, tuple) else ("?",) * count

    count = len(begin) if isinstance(begin, tuple) else (begin_shape[0] if begin_shape else None)
    if count is None:
        return None
    begin, end, strides = entries(begin), entries(end), entries(strides)
    masks = {m: attrs.get(m) or 0 for m in ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")}
    new = sum(1 for i in range(count) if masks["new_axis_mask"] >> i & 1 and not masks["ellipsis_mask"] >> i & 1)
    has_ellipsis = any(masks["ellipsis_mask"] >> i & 1 for i in range(count))
    covered = len(dims) - (count - new - int(has_ellipsis))
    if covered < 0:
        raise ValueError(f"Index out of range using input dim {len(dims)}; input has only {len(dims)} dims")
    picks, out, shrunk = [], [], []
    for i in range(count):
        if masks["ellipsis_mask"] >> i & 1:
            for _ in range(covered):
                out.append(len(picks))
                picks.append((None, None, 1))
            covered = 0
        elif masks["new_axis_mask"] >> i & 1:
            out.append("new")
        elif masks["shrink_axis_mask"] >> i & 1:
            axis, at = len(picks), begin[i]
            dim = dims[axis]
            if isinstance(at, int) and dim is not None and not -dim <= at < dim:
                raise ValueError(f"slice index {at} of dimension {axis} out of bounds.")
            at = "?" if at in (None, "?") else at
            picks.append((at, "?" if at == "?" else (at + 1 if at != -1 else None), 1))
            shrunk.append(axis)
        else:
            b = None if masks["begin_mask"] >> i & 1 else ("?" if begin[i] is None else begin[i])
            e = None if masks["end_mask"] >> i & 1 else ("?" if end[i] is None else end[i])
            s = None if strides[i] in (None, "?") else strides[i]
            if s == 0:
                raise ValueError(f"strides[{i}] must be non-zero")
            out.append(len(picks))
            picks.append((b, e, s))
    while len(picks) < len(dims):
        out.append(len(picks))
        picks.append((None, None, 1))
    return SliceSpec(dims, picks, out, shrunk)


# --- partial values -------------------------------------------------------------------------------------------------


def value_shape(f):
    """Shape: the (partial) shape is the value."""
    return f.shapes[0]


def value_size(f):
    return product(f.shapes[0])


def value_rank(f):
    return None if f.shapes[0] is None else len(f.shapes[0])


def value_same(f):
    return f.values[0]


def value_cast(f):
    return f.values[0] if f.attrs["DstT"].kind in "iub" else None


def value_pack(f):
    if (f.attr("axis") or 0) == 0 and all(not isinstance(v, tuple) for v in f.values) and any(v is not None for v in f.values):
        return tuple(f.values)
    return tuple(f.values) if all(known(v) for v in f.values) else None


def value_concat(f):
    if f.values[-1] not in (0, -1):
        return None
    out: tuple = ()
    for value, shape in zip(f.values[:-1], f.shapes[:-1], strict=True):
        if isinstance(value, tuple):
            out += value
        elif shape is not None and len(shape) == 1 and shape[0] is not None and shape[0] <= MAX_VALUE_ELEMENTS:
            out += (None,) * shape[0]
        else:
            return None
    return out if any(v is not None for v in out) or not out else None


def value_strided_slice(f):
    value = f.values[0]
    if not isinstance(value, tuple) or not all(known(v) and v is not None for v in f.values[1:]) or f.shapes[0] is None:
        return None
    if len(f.shapes[0]) != 1:
        return None
    spec = slice_spec(f.attrs, (len(value),), *f.values[1:], f.shapes[1])
    begin, end, stride = spec.picks[0]
    picked = value[slice(begin, end, stride)]
    if spec.shrunk:
        return picked[0]
    return picked if spec.out == [0] else None


def value_gather(f):
    value, indices, axis = f.values
    if not isinstance(value, tuple) or indices is None or not known(indices) or axis != 0:
        return None
    return tuple(value[i] for i in indices) if isinstance(indices, tuple) else value[indices]


def value_elementwise(function):
    """Lift a function of ints to partial values, for Add, Sub, Mul, FloorDiv, ..."""

    def scalar_rule(a, b):
        if a is None or b is None:
            return None
        try:
            return function(a, b)
        except ZeroDivisionError:
            return None

    def rule(f):
        a, b = f.values
        if isinstance(a, tuple) and isinstance(b, tuple):
            if len(a) != len(b) or any(isinstance(x, tuple) for x in a + b):
                return None
            return tuple(map(scalar_rule, a, b))
        if isinstance(a, tuple):
            return None if any(isinstance(x, tuple) for x in a) or f.shapes[1] != () else tuple(scalar_rule(x, b) for x in a)
        if isinstance(b, tuple):
            return None if any(isinstance(x, tuple) for x in b) or f.shapes[0] != () else tuple(scalar_rule(a, x) for x in b)
        return scalar_rule(a, b)

    return rule


def value_reduce(function):
    def rule(f):
        value, axes = f.values
        if not isinstance(value, tuple) or any(not isinstance(v, int) for v in value) or f.attr("keep_dims"):
            return None
        return function(value) if axes in (0, (0,), -1, (-1,)) else None

    return rule


def value_reshape(f):
    value = f.values[0]
    if value is None or f.values[1] is None:
        return None
    flat = value if isinstance(value, tuple) else (value,)
    if any(isinstance(v, tuple) for v in flat):
        return None
    if f.values[1] == ():
        return flat[0]
    return flat if len(f.values[1]) == 1 else None


def value_expand_dims(f):
    return (f.values[0],) if isinstance(f.values[0], int) else None


def value_squeeze(f):
    value = f.values[0]
    return value[0] if isinstance(value, tuple) and len(value) == 1 and f.shapes[0] == (1,) else None


def value_range(f):
    start, limit, delta = f.values
    if not all(isinstance(v, int) for v in f.values) or delta == 0:
        return None
    out = tuple(range(start, limit, delta))
    return out if len(out) <= MAX_VALUE_ELEMENTS else None


def value_fill(f):
    dims, value = f.values
    if not isinstance(dims, tuple) or not known(dims) or len(dims) > 1 or not isinstance(value, int):
        return None
    if not dims:
        return value
    return (value,) * dims[0] if dims[0] <= MAX_VALUE_ELEMENTS else None


def value_select(f):
    condition, a, b = f.values
    if isinstance(condition, (bool, int)):
        return a if condition else b
    return None


__all__ = [n for n in dir() if not n.startswith("_")]
_ = (TensorShape, is_fully_known, relax)
