"""Ops that forward, measure and reshape arrays. Slices and pads are in `slicing.py`, indexing in `gather.py`."""

from __future__ import annotations

import math

import numpy as np

from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError
from reflow.core.resources import HandleFacts
from reflow.core.shapes import dims_of, merge
from reflow.ops import batching
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.dispatch import run
from reflow.ops.kernels.array import joining  # noqa: F401 - registers its ops
from reflow.ops.kernels.array.making import sizes
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op

# --- handing on -----------------------------------------------------------------------------------------------------


def _pass(xp, attrs, inputs, outputs, cts, wanted):
    return cts


def _pass_tensors(attrs, inputs, outputs, cts, wanted):
    """Pass gradients on unchanged: `IndexedSlices` stay sparse."""
    return list(cts)


def _pass_all_tensors(attrs, inputs, outputs, cts, wanted):
    """Pass on the gradients of several outputs; an unused one has zero, in a graph also a variable's handle."""
    return [_unused(x) if c is None and w else c for x, c, w in zip(inputs, cts, wanted, strict=True)]


def _unused(tensor):
    facts = tensor._static if tensor._is_symbolic else None
    if tensor._dtype is dtypes.resource:
        return (
            None if not isinstance(facts, HandleFacts)
            else run("ZerosLike", run("ReadVariableOp", tensor, dtype=facts.dtype))
        )
    return run("ZerosLike", tensor)


def identity_op(name: str, shape=rules.same, value=rules.value_same, **facts):
    """The record of an op whose outputs are its inputs."""
    return op(name, shape=shape, value=value, identity=True, elementwise=shape is rules.same, **facts)


def _attr_shape(f):
    return [f.attr("shape")]


def _const_shape(f):
    value = f.attrs["value"]
    return [tuple(value.shape) if hasattr(value, "shape") else None]


#: public functions whose result may be a constant, and what they call it
_CONSTANTS = {
    "eye": "eye",
    "fill": "Fill",
    "ones": "ones",
    "ones_like": "ones_like",
    "rank": "Rank",
    "shape": "Shape",
    "size": "Size",
    "zeros": "zeros",
    "zeros_like": "zeros_like",
}


@op(
    "Const", shape=_const_shape, value=rules.value_const, grad=NO_GRADIENT,
    naming=Naming(functions=_CONSTANTS, asked_by=("constant", "convert_to_tensor")), moves=True,
)
def const(xp, value, dtype=None):
    return value


@identity_op("Identity", grad=_pass, grad_tensors=_pass_tensors, needs=())
def identity(xp, input):
    return input


@identity_op("Snapshot", grad=_pass, grad_tensors=_pass_tensors, needs=())
def snapshot(xp, input):
    return input


@identity_op("DeepCopy", grad=NO_GRADIENT, pure=True)
def deep_copy(xp, x):
    return x


@identity_op("GuaranteeConst", grad=_pass, needs=(), pure=True)
def guarantee_const(xp, input):
    return input


@identity_op(
    "IdentityN", rules.same_all, rules.value_same_all, grad=_pass, grad_tensors=_pass_all_tensors, shape_only=("input",)
)
def identity_n(xp, input):
    return tuple(input)


@identity_op("StopGradient", grad=NO_GRADIENT)
def stop_gradient(xp, input):
    return input


def _prevented(xp, attrs, inputs, outputs, cts, wanted):
    raise LookupError(f"Gradient explicitly disabled. Reason: {attrs.get('message', '')}")


def _prevented_tensors(attrs, inputs, outputs, cotangents, wanted):
    """Raise in a graph too, while the gradient is built."""
    _prevented(None, attrs, inputs, outputs, cotangents, wanted)


@identity_op("PreventGradient", grad=_prevented, grad_tensors=_prevented_tensors, needs=())
def prevent_gradient(xp, input, message=""):
    return input


@op("Placeholder", shape=_attr_shape, grad=NO_GRADIENT, host=True, moves=True)
def placeholder(xp, dtype=None, shape=None):
    raise InvalidArgumentError(
        None, None, f"You must feed a value for placeholder tensor with dtype {dtype.name} and shape {shape}"
    )


def _with_default_shape(f):
    return [f.attrs.get("shape")]  # None, an unknown rank, is a shape too


def _may_be_fed(f):
    """The value is not known while a graph is built: a session may feed another one than the default."""
    return None


@op(
    "PlaceholderWithDefault", shape=_with_default_shape, value=_may_be_fed, elementwise=True, grad=_pass, needs=(),
    trace_check=traced.default_value,
)
def placeholder_with_default(xp, input, shape=None):
    return input


def _ensured(f):
    try:
        return [merge(f.shapes[0], dims_of(f.attrs["shape"]))]
    except ValueError:
        raise ValueError(
            f"Shape of tensor input {rules.text(f.shapes[0])} is not compatible with expected shape "
            f"{rules.text(dims_of(f.attrs['shape']))}."
        ) from None


@op("EnsureShape", shape=_ensured, value=rules.value_same, grad=_pass, needs=(), trace_words=traced.ensure_shape)
def ensure_shape(xp, input, shape):
    dims = xp.shape(input)
    if shape is not None and (
        len(dims) != len(shape) or any(w not in (None, d) for d, w in zip(dims, shape, strict=True))
    ):
        raise ValueError(
            f"Shape of tensor input {rules.text(dims)} is not compatible with expected shape {rules.text(shape)}."
        )
    return input


# --- measuring: results are host arrays on both sides, so that they can feed static operands --------------------------


@op("Shape", shape=rules.shape_vector, value=rules.value_shape, grad=NO_GRADIENT, from_shapes=True)
def shape(xp, input, out_type=dtypes.int32):
    return np.array(input.shape, out_type.np_dtype)


def _shape_vectors(f):
    return [(None,) if s is None else (len(s),) for s in f.shapes]


@op("ShapeN", shape=_shape_vectors, value=rules.value_shape_n, grad=NO_GRADIENT, from_shapes=True)
def shape_n(xp, input, out_type=dtypes.int32):
    return tuple(np.array(x.shape, out_type.np_dtype) for x in input)


@op("Size", shape=rules.scalar, value=rules.value_size, grad=NO_GRADIENT, from_shapes=True)
def size(xp, input, out_type=dtypes.int32):
    return np.array(math.prod(input.shape), out_type.np_dtype)


@op("Rank", shape=rules.scalar, value=rules.value_rank, grad=NO_GRADIENT, from_shapes=True)
def rank(xp, input):
    return np.array(len(input.shape), np.int32)


def _broadcast_args_shape(f):
    a, b = f.shapes
    lengths = [s[0] for s in (a, b) if s is not None and s[0] is not None]
    return [(max(lengths),) if len(lengths) == 2 else (None,)]


def _check_vectors(*shapes) -> None:
    for number, dims in enumerate(shapes):
        if dims.ndim != 1:
            raise ValueError(f"In[{number}] must be a vector.{rules.text(dims.shape)}")


def _broadcast_args_value(f):
    a, b = f.values
    if isinstance(a, tuple) and isinstance(b, tuple):
        return rules.broadcast_dims(a, b)
    return None


@op(
    "BroadcastArgs", fits="1 1", shape=_broadcast_args_shape, value=_broadcast_args_value, grad=NO_GRADIENT,
    static=("s0", "s1"), trace_words=traced.nothing,
)
def broadcast_args(xp, s0, s1):
    _check_vectors(s0, s1)
    return np.array(rules.broadcast_dims(tuple(s0.tolist()), tuple(s1.tolist())), s0.dtype)


@op("BroadcastGradientArgs", fits="1 1", shape=lambda f: [(None,), (None,)], grad=NO_GRADIENT, static=("s0", "s1"))
def broadcast_gradient_args(xp, s0, s1):
    """The axes over which the gradients of the two operands of a broadcasting op are summed."""
    _check_vectors(s0, s1)
    a, b = s0.tolist(), s1.tolist()
    rules.broadcast_dims(tuple(a), tuple(b))  # complains about sizes that do not fit
    rank = max(len(a), len(b))
    if a == b:
        return np.zeros(0, s0.dtype), np.zeros(0, s0.dtype)
    # axes where both are 1 are listed too, as TensorFlow does: summing over them changes nothing
    return tuple(
        np.array([i for i, d in enumerate([1] * (rank - len(dims)) + dims) if d == 1], s0.dtype) for dims in (a, b)
    )


def _is_permutation(xp, attrs, x):
    if isinstance(x, np.ndarray):
        return []  # the kernel checks each number anyway
    return [(xp.all(xp.equal(xp.take(x, xp.argsort(x, 0), 0), xp.iota(x.shape[0], x.dtype)), None), _no_permutation)]


def _no_permutation(x) -> str:
    """The error for numbers that are not a permutation."""
    try:
        _inverted(x)
    except ValueError as error:
        return str(error)
    return "The input is no permutation."


def _inverted(x: np.ndarray) -> np.ndarray:
    out = np.full(x.shape, -1, x.dtype)
    for i, p in enumerate(x.tolist()):
        if not 0 <= p < len(out):
            raise ValueError(f"{p} is not between 0 and {len(out)}")
        if out[p] != -1:
            raise ValueError(f"{p} is duplicated in the input.")
        out[p] = i
    return out


@op("InvertPermutation", fits="1", shape=rules.same_of_rank(1), grad=NO_GRADIENT, checks=(_is_permutation,))
def invert_permutation(xp, x):
    if isinstance(x, np.ndarray):
        return _inverted(x)
    return xp.cast(xp.argsort(x, 0), x.dtype)


# --- shape ----------------------------------------------------------------------------------------------------------


def _reshape_back(xp, attrs, inputs, outputs, cts, wanted):
    return [xp.reshape_like(cts[0], inputs[0])] + [None] * (len(inputs) - 1)


@op(
    "Reshape", batch=batching.reshaped, shape=rules.reshape, value=rules.value_reshape, grad=_reshape_back,
    static=("shape",), needs=("tensor",), shape_only=("tensor",), trace_check=traced.reshape_operand,
    trace_words=traced.reshape, moves=True, lenient=True,
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
    "ExpandDims", shape=rules.expand_dims, value=rules.value_expand_dims, grad=_reshape_back, static=("dim",),
    needs=("input",), shape_only=("input",), trace_words=traced.expand_dims, batch=batching.along_axes, moves=True,
)
def expand_dims(xp, input, dim):
    if dim.size != 1:
        raise ValueError("'dim' must be a tensor with a single value")
    axis, ndim = int(dim.reshape(())), len(input.shape)
    if not -ndim - 1 <= axis <= ndim:
        raise ValueError(f"Tried to expand dim index {axis} for tensor with {ndim} dimensions.")
    axis %= ndim + 1
    return xp.reshape(input, (*input.shape[:axis], 1, *input.shape[axis:]))


@op(
    "Squeeze", shape=rules.squeeze, value=rules.value_squeeze, grad=_reshape_back, needs=("input",),
    shape_only=("input",), trace_words=traced.squeeze, moves=True,
)
def squeeze(xp, input, squeeze_dims=()):
    dims = input.shape
    axes = (
        {a % len(dims) for a in squeeze_dims if -len(dims) <= a < len(dims)}
        if squeeze_dims
        else {i for i, n in enumerate(dims) if n == 1}
    )
    if any(not -len(dims) <= a < len(dims) for a in squeeze_dims) or any(dims[a] != 1 for a in axes):
        raise ValueError(f"Can not squeeze {squeeze_dims} of shape {dims}")
    return xp.reshape(input, tuple([n for i, n in enumerate(dims) if i not in axes]))


def _transpose_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.transpose_back(cts[0], inputs[1]), None


@op(
    "Transpose", batch=batching.permuted, shape=rules.transpose, grad=_transpose_grad, static=("perm",),
    needs=("perm",), trace_check=traced.transpose, trace_words=traced.transpose, naming=Naming("transpose"), moves=True,
)
def transpose(xp, x, perm):
    return xp.transpose(x, tuple(perm.tolist()))


def _conjugate_transpose_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.conj(xp.transpose_back(cts[0], inputs[1])), None


@op(
    "ConjugateTranspose", shape=rules.transpose, grad=_conjugate_transpose_grad, static=("perm",), needs=("perm",),
    naming=Naming("transpose"),
)
def conjugate_transpose(xp, x, perm):
    moved = xp.transpose(x, tuple(perm.tolist()))
    return xp.conj(moved) if x.dtype.kind == "c" else moved


def _sum_back(xp, attrs, inputs, outputs, cts, wanted):
    return xp.sum_to_like(cts[0], inputs[0]), None


@op(
    "BroadcastTo", shape=rules.broadcast_to, value=rules.value_broadcast_to, grad=_sum_back, static=("shape",),
    needs=("input",), shape_only=("input",), trace_check=traced.broadcast_to,
)
def broadcast_to(xp, input, shape):
    wanted = tuple(shape.tolist())
    return xp.materialize(xp.broadcast_to(input, wanted))


def _tile_grad(xp, attrs, inputs, outputs, cts, wanted):
    return xp.tile_grad_like(cts[0], inputs[0], inputs[1]), None


@op(
    "Tile", fits="* 1", shape=rules.tile, grad=_tile_grad, static=("multiples",), needs=("input", "multiples"),
    trace_words=traced.tile,
)
def tile(xp, input, multiples):
    times = tuple(multiples.tolist())
    if len(times) != len(input.shape):
        raise ValueError(
            f"Expected multiples argument to be a vector of length {len(input.shape)} but got length {len(times)}"
        )
    return input if all(m == 1 for m in times) else xp.tile(input, times)
