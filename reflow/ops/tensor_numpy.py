"""The facade on tensors: what a gradient calls `xp` when it becomes ordinary TensorFlow ops.

Same names and signatures as `host_numpy`, but arguments and results are tensors, eager or symbolic, and every function
dispatches TensorFlow's own ops through the door. Second derivatives come from it (the ops are recorded and reversed again),
and it makes a training function exportable. Shapes may be unknown: helpers such as `sum_to_like` decide by static shapes
where they can and otherwise add `Shape` and `BroadcastGradientArgs`, as TensorFlow's own gradients do.

Operands that the facade takes as Python ints or tuples (axes, shapes, permutations) may be host arrays or tensors here. The
windows, matrix factorisations and Fourier transforms are in `tensor_linalg.py`.
"""

from __future__ import annotations

import builtins
import math

import numpy as np

from reflow.core import dtypes
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops import registry
from reflow.ops.convert import from_array
from reflow.ops.door import dispatch
from reflow.ops.facade_shapes import limits
from reflow.ops.shape_facts import known
from reflow.ops.slice_spec import MASKS

_INT32 = np.dtype(np.int32)


def run(name: str, *inputs, **attrs):
    """Dispatch the op called `name`."""
    return dispatch(registry.REGISTRY.get(name) or registry.get(name), inputs, attrs)


# --- what is known before anything runs ---------------------------------------------------------------------------------


def dims_of(x):
    """The static shape of a tensor: a tuple of ints and Nones, or None."""
    return x.shape._dims


def static_value(x):
    """The value of a small integer operand as an int or nested tuples, if all of it is known; else None."""
    if isinstance(x, (int, tuple)) or x is None:
        return x
    if isinstance(x, Tensor):
        if not isinstance(x, EagerTensor):
            return x._static if x._static is not None and known(x._static) else None
        x = x._host()
    return _tuples(x.tolist())


def _tuples(x):
    return tuple(map(_tuples, x)) if isinstance(x, list) else x


def static_operands(op, inputs):
    """A forward op's inputs as its gradient expects them: static operands are host arrays where they are known."""
    inputs = list(inputs)
    for i, arg in enumerate(op.definition.inputs):
        # only single arguments after which no list stands have a fixed position from the left, or from the right
        if arg.name not in op.static:
            continue
        place = i if not builtins.any(a.is_list for a in op.definition.inputs[:i]) else i - len(op.definition.inputs)
        x = inputs[place]
        if isinstance(x, EagerTensor):
            inputs[place] = x._host()
        elif isinstance(x, Tensor):
            value = constant_value(x)
            inputs[place] = x if value is None else value
    return inputs


def constant_value(x):
    """The value of a symbolic tensor as an array, if it is known."""
    if x.op.type == "Const":
        return x.op.attrs["value"]
    if x._static is not None and known(x._static):
        return np.array(x._static, x._dtype.np_dtype)
    return None


def operand(x, dtype=_INT32):
    """An axis, shape or other small integer operand (ints, tuple, array or tensor) as a tensor."""
    if isinstance(x, Tensor):
        return x
    return from_array(x if isinstance(x, np.ndarray) else np.array(x, dtype))


def shape_tensor(x, out_type=dtypes.int32):
    """The shape of x: a constant if it is known."""
    dims = dims_of(x)
    if dims is not None and None not in dims:
        return from_array(np.array(dims, out_type.np_dtype))
    return run("Shape", x, out_type=out_type)


def _rank_tensor(x):
    dims = dims_of(x)
    return run("Rank", x) if dims is None else operand(len(dims))


def tail_shape(x, start: int):
    """The shape of x from axis `start` on, as a tuple of ints or a tensor."""
    dims = dims_of(x)
    if dims is not None and None not in dims[start:]:
        return dims[start:]
    return run("StridedSlice", shape_tensor(x), operand([start]), operand([0]), operand([1]), end_mask=1)


def concat_shapes(*parts):
    """Shapes given as tuples or tensors, one after the other, as a tuple or a tensor."""
    if builtins.all(isinstance(p, tuple) for p in parts):
        return sum_tuples(parts)
    return run("ConcatV2", *[operand(p) for p in parts], operand(0), N=len(parts))


def sum_tuples(parts):
    out: tuple = ()
    for p in parts:
        out += tuple(p)
    return out


# --- creation -----------------------------------------------------------------------------------------------------------


def _dtype(dtype) -> dtypes.DType:
    return dtype if isinstance(dtype, dtypes.DType) else dtypes.FROM_NUMPY[np.dtype(dtype)]


def const(value, like):
    return from_array(np.array(value, like._dtype.np_dtype))


def asarray(value, dtype):
    return value if isinstance(value, Tensor) else from_array(np.asarray(value, _dtype(dtype).np_dtype))


def full(shape, value, dtype):
    return run("Fill", operand(shape), value if isinstance(value, Tensor) else asarray(value, dtype))


def zeros(shape, dtype):
    return full(shape, 0, dtype)


def ones(shape, dtype):
    return full(shape, 1, dtype)


def zeros_like(x):
    return run("ZerosLike", x)


def ones_like(x):
    return run("OnesLike", x)


zeros_like_any = zeros_like


def iota(n, dtype):
    return cast(run("Range", operand(0), operand(n), operand(1)), dtype)


def arange(start, stop, step, dtype):
    return run("Range", *[asarray(v, dtype) for v in (start, stop, step)])


def eye(rows, cols, dtype):
    return asarray(np.eye(rows, cols), dtype)


def lowest(dtype):
    return from_array(limits(_dtype(dtype).np_dtype)[0])


def highest(dtype):
    return from_array(limits(_dtype(dtype).np_dtype)[1])


def lowest_like(x):
    return lowest(x._dtype)


def cast(x, dtype):
    dtype = _dtype(dtype)
    return x if x._dtype is dtype else run("Cast", x, DstT=dtype)


def bitcast(x, dtype):
    return run("Bitcast", x, type=_dtype(dtype))


# --- elementwise --------------------------------------------------------------------------------------------------------

_UNARY = {
    "negative": "Neg", "exp": "Exp", "expm1": "Expm1", "log": "Log", "log1p": "Log1p", "sqrt": "Sqrt", "square": "Square",
    "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh",
    "tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh", "floor": "Floor", "ceil": "Ceil", "rint": "Rint",
    "isnan": "IsNan", "isinf": "IsInf", "isfinite": "IsFinite", "logical_not": "LogicalNot", "bitwise_not": "Invert",
    "sign": "Sign", "rsqrt": "Rsqrt", "reciprocal": "Reciprocal", "sigmoid": "Sigmoid", "softplus": "Softplus", "relu": "Relu",
    "population_count": "PopulationCount", "erf": "Erf", "erfc": "Erfc", "erfinv": "Erfinv", "ndtri": "Ndtri", "lgamma": "Lgamma",
    "digamma": "Digamma", "bessel_i0e": "BesselI0e", "bessel_i1e": "BesselI1e",
}
_BINARY = {
    "add": "AddV2", "subtract": "Sub", "multiply": "Mul", "divide": "RealDiv", "maximum": "Maximum", "minimum": "Minimum",
    "atan2": "Atan2", "less": "Less", "less_equal": "LessEqual", "greater": "Greater", "greater_equal": "GreaterEqual",
    "logical_and": "LogicalAnd", "logical_or": "LogicalOr", "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor", "left_shift": "LeftShift", "right_shift": "RightShift", "nextafter": "NextAfter",
    "truncate_mod": "TruncateMod", "floor_mod": "FloorMod", "floor_divide": "FloorDiv", "truncate_div": "TruncateDiv",
    "power": "Pow", "igamma": "Igamma", "igammac": "Igammac", "zeta": "Zeta", "polygamma": "Polygamma",
    "igamma_grad_a": "IgammaGradA",
}


def _elementwise(facade_name: str, op_name: str, count: int):
    if count == 1:
        def function(x):
            return run(op_name, x)
    else:
        def function(x, y):
            return run(op_name, x, y)
    function.__name__ = function.__qualname__ = facade_name
    return function


globals().update({name: _elementwise(name, op_name, 1) for name, op_name in _UNARY.items()})
globals().update({name: _elementwise(name, op_name, 2) for name, op_name in _BINARY.items()})


def equal(x, y):
    return run("Equal", x, y, incompatible_shape_error=True)


def not_equal(x, y):
    return run("NotEqual", x, y, incompatible_shape_error=True)


def logical_xor(x, y):
    return not_equal(x, y)


def trunc(x):
    return select(run("Less", x, zeros_like(x)), run("Ceil", x), run("Floor", x))


def abs(x):  # noqa: A001
    if x._dtype.kind == "c":
        return run("ComplexAbs", x, Tout=x._dtype.real_dtype)
    return run("Abs", x)


def conj(x):
    return run("Conj", x) if x._dtype.kind == "c" else x


def real(x):
    return run("Real", x, Tout=x._dtype.real_dtype) if x._dtype.kind == "c" else x


def imag(x):
    return run("Imag", x, Tout=x._dtype.real_dtype) if x._dtype.kind == "c" else zeros_like(x)


def angle(x):
    if x._dtype.kind == "c":
        return run("Angle", x, Tout=x._dtype.real_dtype)
    return select(run("Less", x, zeros_like(x)), const(math.pi, x), zeros_like(x))


def complex(re, im):  # noqa: A001
    wide = dtypes.complex64 if re._dtype is dtypes.float32 else dtypes.complex128
    return run("Complex", re, im, Tout=wide)


def betainc(a, b, x):
    return run("Betainc", a, b, x)


def select(c, x, y):
    return run("SelectV2", c, x, y)


# --- reductions ---------------------------------------------------------------------------------------------------------


def _axes(axes, x):
    """Axes of a reduction as a tensor; None means all."""
    if axes is not None:
        return operand(axes)
    dims = dims_of(x)
    if dims is not None:
        return operand(tuple(range(len(dims))))
    return run("Range", operand(0), run("Rank", x), operand(1))


def reduce_all_axes(name: str, x):
    """The reduction op `name` of x over all its axes."""
    return run(name, x, _axes(None, x), keep_dims=False)


def sum(x, axes, keepdims=False):  # noqa: A001
    return run("Sum", x, _axes(axes, x), keep_dims=keepdims)


def prod(x, axes, keepdims=False):
    return run("Prod", x, _axes(axes, x), keep_dims=keepdims)


def mean(x, axes, keepdims=False):
    return run("Mean", x, _axes(axes, x), keep_dims=keepdims)


def max(x, axes, keepdims=False):  # noqa: A001
    return run("Max", x, _axes(axes, x), keep_dims=keepdims)


def min(x, axes, keepdims=False):  # noqa: A001
    return run("Min", x, _axes(axes, x), keep_dims=keepdims)


def any(x, axes, keepdims=False):  # noqa: A001
    return run("Any", x, _axes(axes, x), keep_dims=keepdims)


def all(x, axes, keepdims=False):  # noqa: A001
    return run("All", x, _axes(axes, x), keep_dims=keepdims)


def argmax(x, axis, dtype):
    return run("ArgMax", x, operand(axis), output_type=_dtype(dtype))


def argmin(x, axis, dtype):
    return run("ArgMin", x, operand(axis), output_type=_dtype(dtype))


def cumsum(x, axis, exclusive=False, reverse=False):
    return run("Cumsum", x, operand(axis), exclusive=exclusive, reverse=reverse)


def cumprod(x, axis, exclusive=False, reverse=False):
    return run("Cumprod", x, operand(axis), exclusive=exclusive, reverse=reverse)


def logcumsumexp(x, axis, exclusive=False, reverse=False):
    return run("CumulativeLogsumexp", x, operand(axis), exclusive=exclusive, reverse=reverse)


def top_k(x, k):
    return tuple(run("TopKV2", x, operand(k), sorted=True))


def searchsorted(seq, values, side, dtype):
    return run("LowerBound" if side == "left" else "UpperBound", seq, values, out_type=_dtype(dtype))


# --- shape --------------------------------------------------------------------------------------------------------------


def shape(x):
    """The static shape, which gradients that ask for it need whole."""
    dims = dims_of(x)
    if dims is None or None in dims:
        raise ValueError(f"This gradient needs the static shape of {x!r}.")
    return dims


def ndim(x):
    dims = dims_of(x)
    if dims is None:
        raise ValueError(f"This gradient needs the rank of {x!r}.")
    return len(dims)


def size(x):
    return math.prod(shape(x))


def reshape(x, shape):
    return run("Reshape", x, operand(shape))


def transpose(x, perm):
    return run("Transpose", x, operand(perm))


def matrix_transpose(x):
    dims = dims_of(x)
    if dims is not None:
        return transpose(x, (*range(len(dims) - 2), len(dims) - 1, len(dims) - 2))
    rank = run("Rank", x)
    lead = run("Range", operand(0), run("Sub", rank, operand(2)), operand(1))
    last = run("Sub", run("Pack", rank, rank, axis=0), operand((1, 2)))
    return transpose(x, run("ConcatV2", lead, last, operand(0), N=2))


def broadcast_to(x, shape):
    return run("BroadcastTo", x, operand(shape))


def expand_dims(x, axes):
    """Axes are positions in the result; negative ones too."""
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    if builtins.all(a >= 0 for a in axes):
        for axis in sorted(axes):
            x = run("ExpandDims", x, operand(axis))
        return x
    if builtins.all(a < 0 for a in axes):
        for axis in sorted(axes, reverse=True):
            x = run("ExpandDims", x, operand(axis))
        return x
    total = ndim(x) + len(axes)
    return expand_dims(x, tuple(a % total for a in axes))


def squeeze(x, axes):
    return run("Squeeze", x, squeeze_dims=[axes] if isinstance(axes, int) else list(axes))


def concat(xs, axis):
    return run("ConcatV2", *xs, operand(axis), N=len(xs)) if len(xs) > 1 else xs[0]


def stack(xs, axis):
    return run("Pack", *xs, axis=axis)


def unstack(x, count, axis):
    return run("Unpack", x, num=count, axis=axis)


def split(x, sizes, axis):
    return run("SplitV", x, operand(tuple(sizes)), operand(axis), num_split=len(sizes))


def pad(x, paddings, value):
    return run("PadV2", x, operand(paddings), value)


def mirror_pad(x, paddings, mode):
    return run("MirrorPad", x, operand(paddings), mode=mode)


def mirror_pad_grad(g, paddings, mode):
    return run("MirrorPadGrad", g, operand(paddings), mode=mode)


mirror_pad_back, mirror_pad_by = mirror_pad_grad, mirror_pad


def flip(x, axes):
    return run("ReverseV2", x, operand((axes,) if isinstance(axes, int) else axes))


flip_by = flip


def tile(x, multiples):
    return run("Tile", x, operand(multiples))


def roll(x, shift, axes):
    shifts = run("Pack", *shift, axis=0) if isinstance(shift[0], Tensor) else operand(tuple(shift))
    return run("Roll", x, shifts, operand(tuple(axes)))


def roll_by(x, shift, axis):
    return run("Roll", x, operand(shift), operand(axis))


def slice(x, starts, sizes):  # noqa: A001
    return run("Slice", x, operand(tuple(starts)), operand(tuple(sizes)))


def static_int(x):
    """A scalar operand: an int if it is known, else the tensor itself, which all functions here take as well."""
    value = static_value(x)
    return x if value is None else value[0] if isinstance(value, tuple) else value


def static_axes(axes):
    """Axes that must be known, as a tuple of ints."""
    value = static_value(axes)
    if value is None:
        raise ValueError(f"This gradient needs the value of the axes {axes!r}.")
    return value if isinstance(value, tuple) else (value,)


def materialize(x):
    return x


def compact(view, base):
    return view


# --- gathering and scattering ---------------------------------------------------------------------------------------------


def take(x, indices, axis, batch_dims=0):
    return run("GatherV2", x, indices, operand(axis), batch_dims=batch_dims)


def gather_nd(x, indices):
    return run("GatherNd", x, indices)


_SCATTER = {"set": "TensorScatterUpdate", "add": "TensorScatterAdd", "sub": "TensorScatterSub", "max": "TensorScatterMax",
            "min": "TensorScatterMin"}
_SEGMENT = {"sum": "UnsortedSegmentSum", "prod": "UnsortedSegmentProd", "max": "UnsortedSegmentMax", "min": "UnsortedSegmentMin"}


def scatter_nd(mode, x, indices, updates):
    return run(_SCATTER[mode], x, indices, updates)


def scatter_rows(mode, x, indices, updates):
    return scatter_nd(mode, x, run("ExpandDims", indices, operand(-1)), updates)


def unsorted_segment(mode, data, ids, num):
    return run(_SEGMENT[mode], data, ids, operand(num))


def take_along_axis(x, indices, axis):
    """Elements at indices along one axis: a gather with all other axes as batch axes."""
    count = ndim(x)
    axis = axis % count
    order = [i for i in range(count) if i != axis] + [axis]
    moved = take(transpose(x, order), transpose(indices, order), count - 1, count - 1)
    return transpose(moved, [order.index(i) for i in range(count)])


# --- gradient helpers: undoing what a forward op did to shapes --------------------------------------------------------------


def sum_to_like(g, x):
    """Sums g down to x's shape. Axes are known as soon as all sizes of x are."""
    to, have = dims_of(x), dims_of(g)
    if to is not None and None not in to and have is not None:
        if have == to:
            return g
        extra = len(have) - len(to)
        axes = (*range(extra), *[extra + i for i, n in enumerate(to) if n == 1 and have[extra + i] != 1])
        if not axes:
            return g
        return reshape(sum(g, axes), to) if 1 in to else sum(g, axes)
    dims = run("Shape", x)
    axes, _ = run("BroadcastGradientArgs", dims, shape_tensor(g))
    return reshape(run("Sum", g, axes, keep_dims=False), dims)


def _same_known_shape(g, x) -> bool:
    to = dims_of(x)
    return to is not None and None not in to and dims_of(g) == to


def broadcast_like(g, x):
    return g if _same_known_shape(g, x) else run("BroadcastTo", g, shape_tensor(x))


def reshape_like(g, x):
    return g if _same_known_shape(g, x) else run("Reshape", g, shape_tensor(x))


def keep_axes(y, x, axes, keepdims):
    """y, a reduction of x over `axes`, with size 1 at the reduced axes."""
    if keepdims:
        return y
    value, dims = static_value(axes), dims_of(x)
    if value is not None and dims is not None:
        value = value if isinstance(value, tuple) else (value,)
        return expand_dims(y, tuple({a % len(dims): None for a in value})) if value else y
    rank = _rank_tensor(x)
    places = run("FloorMod", run("Reshape", cast(operand(axes), dtypes.int32), operand((-1,))), rank)
    kept = run("TensorScatterUpdate", shape_tensor(x), run("ExpandDims", places, operand(1)), ones_like(places))
    return run("Reshape", y, kept)


def unreduce(g, x, axes, keepdims):
    return broadcast_like(keep_axes(g, x, axes, keepdims), x)


def size_ratio(x, y):
    """How many elements of x there are for each of y, a scalar of x's dtype."""
    many, few = dims_of(x), dims_of(y)
    if many is not None and few is not None and None not in many and None not in few:
        return const(math.prod(many) // (math.prod(few) or 1), x)
    count = run("Maximum", run("Size", y, out_type=dtypes.int64), operand(1, np.int64))
    return cast(run("FloorDiv", run("Size", x, out_type=dtypes.int64), count), x._dtype)


def _ones_to_rank(x, y):
    """As many ones as x has axes more than y."""
    if dims_of(x) is not None and dims_of(y) is not None:
        return (1,) * (len(dims_of(x)) - len(dims_of(y)))
    missing = run("Sub", _rank_tensor(x), _rank_tensor(y))
    return run("Fill", run("Reshape", missing, operand((1,))), operand(1))


def broadcast_prefix(mask, x):
    """A mask over the first axes of x, in a shape that broadcasts with x."""
    dims = dims_of(mask)
    own = dims if dims is not None and None not in dims else shape_tensor(mask)
    return reshape(mask, concat_shapes(own, _ones_to_rank(x, mask)))


def broadcast_rows(condition, x):
    dims = dims_of(condition)
    if dims is not None and dims_of(x) is not None and len(dims) in (0, len(dims_of(x))):
        return condition
    return broadcast_prefix(condition, x)


def segment_sum_like(data, ids, y):
    return unsorted_segment("sum", data, ids, _first_size(y))


def segment_prod_like(data, ids, y):
    return unsorted_segment("prod", data, ids, _first_size(y))


def _first_size(y):
    dims = dims_of(y)
    if dims and dims[0] is not None:
        return dims[0]
    return run("StridedSlice", run("Shape", y), operand([0]), operand([1]), operand([1]), shrink_axis_mask=1)


# --- gradient helpers of array ops ------------------------------------------------------------------------------------------


def transpose_back(g, perm):
    value = static_value(perm)
    if value is not None:
        return transpose(g, tuple(np.argsort(np.array(value, int) % builtins.max(1, len(value))).tolist()))
    return run("Transpose", g, run("InvertPermutation", perm))


def concat_grads(g, xs, axis):
    """The pieces of g that belong to each of `xs`."""
    axis = static_int(axis)
    sizes = [None if dims_of(x) is None or isinstance(axis, Tensor) else dims_of(x)[axis] for x in xs]
    if None not in sizes:
        return split(g, sizes, axis)
    shapes = run("ShapeN", *xs, N=len(xs))
    if isinstance(axis, Tensor):
        axis = run("FloorMod", axis, _rank_tensor(g))
    elif axis < 0:
        axis = run("FloorMod", operand(axis), _rank_tensor(g))
    starts = run("ConcatOffset", cast(operand(axis), dtypes.int32), *shapes, N=len(xs))
    return [run("Slice", g, start, dims) for start, dims in zip(starts, shapes, strict=True)]


def tile_grad_like(g, x, multiples):
    """Sums the copies: reshape to (multiple, size, multiple, size, ...) and sum over the even axes."""
    times, dims = static_value(multiples), dims_of(x)
    if times is not None and dims is not None and None not in dims:
        pairs = tuple([n for pair in zip(times, dims, strict=True) for n in pair])
        return sum(reshape(g, pairs), tuple(range(0, len(pairs), 2)))
    sizes = shape_tensor(x)
    both = run("Pack", cast(operand(multiples), dtypes.int32), sizes, axis=1)
    pairs = run("Reshape", both, operand((-1,)))
    axes = run("Range", operand(0), run("Size", pairs, out_type=dtypes.int32), operand(2))
    return run("Reshape", run("Sum", run("Reshape", g, pairs), axes, keep_dims=False), sizes)


def pad_grad_like(g, x, paddings):
    value = static_value(paddings)
    if value is not None:
        before = operand(tuple(p[0] for p in value)) if value else operand(np.zeros(0, np.int32))
    else:
        before = run("StridedSlice", paddings, operand([0, 0]), operand([0, 1]), operand([1, 1]), begin_mask=1, end_mask=1,
                     shrink_axis_mask=2)
    return run("Slice", g, before, shape_tensor(x, before._dtype))


def slice_grad_like(g, x, begin):
    """g padded with zeros to x's shape."""
    before = operand(begin)
    kind = before._dtype
    after = run("Sub", run("Sub", shape_tensor(x, kind), shape_tensor(g, kind)), before)
    return run("Pad", g, run("Pack", before, after, axis=1))


def _masks(masks) -> dict:
    return dict(zip(MASKS, masks, strict=True))


def _bounds(*operands):
    """Operands of a StridedSlice as tensors of one dtype."""
    tensors = [operand(o) for o in operands]
    kind = dtypes.int64 if builtins.any(t._dtype is dtypes.int64 for t in tensors) else tensors[0]._dtype
    return [cast(t, kind) for t in tensors]


def strided_slice_by(x, begin, end, strides, masks):
    return run("StridedSlice", x, *_bounds(begin, end, strides), **_masks(masks))


def strided_slice_grad_of(g, shape, begin, end, strides, masks):
    return run("StridedSliceGrad", *_bounds(shape, begin, end, strides), g, **_masks(masks))


def strided_slice_grad_like(g, x, begin, end, strides, masks):
    begin, end, strides = _bounds(begin, end, strides)
    return strided_slice_grad_of(g, shape_tensor(x, begin._dtype), begin, end, strides, masks)


def strided_slice_update(x, begin, end, strides, masks, value):
    return run("TensorStridedSliceUpdate", x, *_bounds(begin, end, strides), value, **_masks(masks))


def take_grad_like(g, x, indices, axis, batch_dims):
    """The dense gradient of a gather: UnsortedSegmentSum of rows, with batches folded into the ids."""
    count, inner = ndim(x), ndim(indices) - batch_dims
    axis = static_int(axis) % count
    size = _axis_size(x, axis)
    order = (*range(batch_dims), *range(axis, axis + inner), *range(batch_dims, axis), *range(axis + inner, count - 1 + inner))
    if order != tuple(range(len(order))):
        g = transpose(g, order)
    ids = cast(indices, dtypes.int64)
    total = size
    for i in reversed(range(batch_dims)):  # ids += index along batch axis i, times what lies below it
        places = run("Range", operand(0, np.int64), _axis_size(x, i), operand(1, np.int64))
        places = reshape(run("Mul", places, total), [-1 if j == i else 1 for j in range(batch_dims + inner)])
        ids = run("AddV2", ids, places)
        total = run("Mul", total, _axis_size(x, i))
    rows = run("UnsortedSegmentSum", g, ids, total)
    lead = [_axis_size(x, i) for i in (*range(batch_dims), axis, *range(batch_dims, axis), *range(axis + 1, count))]
    rows = run("Reshape", rows, run("Pack", *lead, axis=0))
    back = [*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims, *range(axis + 1, count)]
    return rows if back == list(range(count)) else transpose(rows, back)


def _axis_size(x, axis):
    """The size of an axis as an int64 scalar."""
    dims = dims_of(x)
    if dims is not None and dims[axis] is not None:
        return operand(dims[axis], np.int64)
    return run("StridedSlice", run("Shape", x, out_type=dtypes.int64), operand([axis]), operand([axis + 1]), operand([1]),
               shrink_axis_mask=1)


def top_k_grad_like(g, x, indices):
    """g at the places along the last axis that `indices` name: a scatter into flat rows."""
    sizes = shape_tensor(x)
    width = _axis_size(x, -1 if dims_of(x) is None else ndim(x) - 1)
    k = run("Shape", indices, out_type=dtypes.int64)
    last = run("StridedSlice", k, operand([-1]), operand([0]), operand([1]), end_mask=1)
    flat = run("Reshape", cast(indices, dtypes.int64), run("ConcatV2", operand(np.array([-1])), last, operand(0), N=2))
    rows = run("StridedSlice", run("Shape", flat, out_type=dtypes.int64), operand([0]), operand([1]), operand([1]), shrink_axis_mask=1)
    starts = run("Mul", run("Range", operand(0, np.int64), rows, operand(1, np.int64)), width)
    places = run("AddV2", flat, run("ExpandDims", starts, operand(1)))
    total = run("Reshape", run("Mul", rows, width), operand((1,)))
    out = run("ScatterNd", run("Reshape", places, operand((-1, 1))), run("Reshape", g, operand((-1,))), total)
    return run("Reshape", out, sizes)


def space_to_batch_by(x, block, paddings):
    return run("SpaceToBatchND", x, operand(block), operand(paddings))


def batch_to_space_by(x, block, crops):
    return run("BatchToSpaceND", x, operand(block), operand(crops))


def space_to_depth(x, block, data_format):
    return run("SpaceToDepth", x, block_size=block, data_format=data_format)


def depth_to_space(x, block, data_format):
    return run("DepthToSpace", x, block_size=block, data_format=data_format)


def reverse_sequence(x, lengths, seq, batch):
    return run("ReverseSequence", x, lengths, seq_dim=seq, batch_dim=batch)


from reflow.ops.tensor_linalg import *  # noqa: E402, F403 - it builds on the functions above
