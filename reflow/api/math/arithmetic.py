"""`tf.math`: elementwise arithmetic, comparisons, logic, bits, casts, selection.

Functions of one input are in `unary.py`, reductions in `reduce.py`, special functions in `special.py`.
"""

from __future__ import annotations

import numpy as np

from reflow.api.call import binary, call, one_dtype, operands
from reflow.api.export import export
from reflow.api.math.unary import abs as absolute
from reflow.api.math.unary import conj, exp, imag, is_finite, log, logical_not, negative, real, sqrt, square
from reflow.core import dtypes
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor, from_array
from reflow.ops.dispatch import dispatch_two

_STRING = dtypes.string


def pair(x, y):
    """Two operands as tensors of one dtype."""
    return (x, y) if type(x) is EagerTensor and type(y) is EagerTensor else operands(x, y)


# --- arithmetic -------------------------------------------------------------------------------------------------------

_ADD, _JOIN = registry.get("AddV2"), registry.get("Add")


@export("add", "math.add")
def add(x, y, name=None):
    """Add elementwise; strings are concatenated.

    >>> tf.add([1, 2], 10).numpy().tolist()
    [11, 12]
    """
    if type(x) is not EagerTensor or type(y) is not EagerTensor:
        if hasattr(x, "map_pairs") or hasattr(y, "map_pairs"):  # ragged
            return (x if hasattr(x, "map_pairs") else y).map_pairs(add, x, y)
        x, y = operands(x, y, lenient=True)
    op = _JOIN if x._dtype is _STRING else _ADD
    return dispatch_two(op, x, y) if name is None else call(op.name, (x, y), {}, name)


add.op = _ADD  # type: ignore[attr-defined] # for operators
add.takes_ragged = True  # type: ignore[attr-defined]


@binary("Sub", "subtract", "math.subtract")
def subtract(x, y, name=None) -> Tensor:
    """Subtract elementwise.

    >>> tf.subtract([3, 2], 1).numpy().tolist()
    [2, 1]
    """


@binary("Mul", "multiply", "math.multiply")
def multiply(x, y, name=None) -> Tensor:
    """Multiply elementwise.

    >>> tf.multiply([1.0, 2.0], 3).numpy().tolist()
    [3.0, 6.0]
    """


@binary("Maximum", "maximum", "math.maximum")
def maximum(x, y, name=None) -> Tensor:
    """The greater of two elements; NaN wins.

    Of equal elements, x gets the gradient.

    >>> tf.maximum([1, 5], [3, 2]).numpy().tolist()
    [3, 5]
    """


@binary("Minimum", "minimum", "math.minimum")
def minimum(x, y, name=None) -> Tensor:
    """The smaller of two elements; NaN wins.

    >>> tf.minimum([1.0, 5.0], [float("nan"), 2.0]).numpy().tolist()
    [nan, 2.0]
    """


@binary("SquaredDifference", "math.squared_difference")
def squared_difference(x, y, name=None) -> Tensor:
    """`(x - y) ** 2` elementwise.

    >>> tf.math.squared_difference([1, 5], 2).numpy().tolist()
    [1, 9]
    """


@binary("Pow", "pow", "math.pow")
def pow(x, y, name=None) -> Tensor:
    """x to the power of y.

    >>> tf.pow([2, 3], [3, 2]).numpy().tolist()
    [8, 9]
    """


@binary("FloorMod", "math.floormod", "math.mod")
def floormod(x, y, name=None) -> Tensor:
    """The remainder of flooring division; it has y's sign.

    >>> tf.math.floormod([-7, 7], 3).numpy().tolist()
    [2, 1]
    """


@binary("TruncateDiv", "truncatediv")
def truncatediv(x, y, name=None) -> Tensor:
    """Divide integers, rounding towards zero.

    >>> tf.truncatediv([-7, 7], 2).numpy().tolist()
    [-3, 3]
    """


@binary("TruncateMod", "truncatemod")
def truncatemod(x, y, name=None) -> Tensor:
    """The remainder of truncating division; it has x's sign.

    >>> tf.truncatemod([-7.5, 7.5], 3.0).numpy().tolist()
    [-1.5, 1.5]
    """


@binary("RealDiv", "realdiv")
def realdiv(x, y, name=None) -> Tensor:
    """Divide floats elementwise.

    >>> tf.realdiv([3.0, 1.0], 2.0).numpy().tolist()
    [1.5, 0.5]
    """


#: the float in which integers are divided
_QUOTIENTS = {
    "uint8": "float32",
    "int8": "float32",
    "uint16": "float32",
    "int16": "float32",
    "uint32": "float64",
    "int32": "float64",
    "uint64": "float64",
    "int64": "float64",
}


def _floats(x, y, what):
    """Operands of a true division: integers become floats."""
    x, y = pair(x, y)
    if x._dtype is not y._dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x._dtype!r} != {y._dtype!r}.")
    kind = x._dtype.kind
    if kind in "fc":
        return x, y
    target = _QUOTIENTS.get(x._dtype.name)
    if target is None:
        raise TypeError(f"Invalid dtype {x._dtype!r} in {what}. Expected a number.")
    return cast(x, target), cast(y, target)


@export("truediv", "math.truediv")
def truediv(x, y, name=None):
    """Divide as Python 3 does: int32 and int64 give float64, shorter integers float32.

    >>> tf.truediv(7, 2).numpy().item()
    3.5
    """
    return call("RealDiv", _floats(x, y, "__truediv__"), {}, name)


@export("divide", "math.divide")
def divide(x, y, name=None):
    """`x / y`.

    >>> tf.divide([6, 3], 2).numpy().tolist()
    [3.0, 1.5]
    """
    return call("RealDiv", _floats(x, y, "__truediv__"), {}, name)


@export("math.divide_no_nan")
def divide_no_nan(x, y, name=None):
    """`x / y`, and 0 where y is 0.

    >>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy().tolist()
    [1.5, 0.0]
    """
    return call("DivNoNan", _floats(x, y, "divide_no_nan"), {}, name)


@export("math.floordiv")
def floordiv(x, y, name=None):
    """Divide, rounding down.

    >>> tf.math.floordiv([-7, 7], 2).numpy().tolist()
    [-4, 3]
    """
    return call("FloorDiv", pair(x, y), {}, name)


@export("math.multiply_no_nan")
def multiply_no_nan(x, y, name=None):
    """`x * y`, and 0 where y is 0, also if x is infinite or NaN.

    >>> tf.math.multiply_no_nan([float("nan")], [0.0]).numpy().tolist()
    [0.0]
    """
    return call("MulNoNan", pair(x, y), {}, name)


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x, name=None):
    """`1 / x`, and 0 where x is 0.

    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy().tolist()
    [0.5, 0.0]
    """
    x = convert_to_tensor(x)
    return call("DivNoNan", (from_array(np.ones((), x._dtype.np_dtype)), x), {}, name)


@export("math.scalar_mul", "scalar_mul")
def scalar_mul(scalar, x, name=None):
    """A scalar times a tensor or `tf.IndexedSlices`.

    >>> tf.math.scalar_mul(2.0, [1.0, 2.0]).numpy().tolist()
    [2.0, 4.0]
    """
    dtype = dtypes.as_dtype(x.dtype) if hasattr(x, "dtype") else convert_to_tensor(x)._dtype
    scalar = convert_to_tensor(scalar, dtype)
    if scalar.shape.rank not in (0, None):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(call("Mul", (scalar, x.values), {}, name), x.indices, x.dense_shape)
    return call("Mul", (scalar, convert_to_tensor(x)), {}, name)


@export("math.add_n", "add_n")
def add_n(inputs, name=None):
    """The sum of a list of tensors of equal shape and dtype.

    >>> tf.add_n([[1, 2], [3, 4], [5, 6]]).numpy().tolist()
    [9, 12]
    """
    tensors = [convert_to_tensor(x) for x in inputs]
    if not tensors:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    one_dtype("AddN", tensors)
    if len(tensors) == 1:
        return call("Identity", tensors, {}, name) if name else tensors[0]
    return call("AddN", tensors, {"N": len(tensors)}, name)


@export("math.accumulate_n")
def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The sum of a list of tensors, like `tf.add_n`.

    >>> tf.math.accumulate_n([[1, 2], [3, 4]]).numpy().tolist()
    [4, 6]
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape.")
    tensors = [convert_to_tensor(x) for x in inputs]
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not tensors[0]._dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type {tensors[0]._dtype!r}. "
            "These must be equal. Try casting the input to the desired type."
        )
    for tensor in tensors:
        tensor.shape.assert_is_compatible_with(tensors[0].shape if shape is None else shape)
    return tensors[0] if len(tensors) == 1 else call("AddN", tensors, {"N": len(tensors)}, name)


# --- comparisons, logic, bits -------------------------------------------------------------------------------------------


@binary("Less", "less", "math.less")
def less(x, y, name=None) -> Tensor:
    """`x < y`.

    >>> tf.less([1, 3], 2).numpy().tolist()
    [True, False]
    """


@binary("LessEqual", "less_equal", "math.less_equal")
def less_equal(x, y, name=None) -> Tensor:
    """`x <= y`.

    >>> tf.less_equal([1, 2, 3], 2).numpy().tolist()
    [True, True, False]
    """


@binary("Greater", "greater", "math.greater")
def greater(x, y, name=None) -> Tensor:
    """`x > y`.

    >>> tf.greater([[1], [3]], [1, 2]).numpy().tolist()
    [[False, False], [True, True]]
    """


@binary("GreaterEqual", "greater_equal", "math.greater_equal")
def greater_equal(x, y, name=None) -> Tensor:
    """`x >= y`.

    >>> tf.greater_equal([1, 2, 3], [3, 2, 1]).numpy().tolist()
    [False, True, True]
    """


@binary("Equal", "equal", "math.equal")
def equal(x, y, name=None) -> Tensor:
    """`x == y`, elementwise; shapes must broadcast.

    >>> tf.equal(["a", "b"], "b").numpy().tolist()
    [False, True]
    """


@binary("NotEqual", "not_equal", "math.not_equal")
def not_equal(x, y, name=None) -> Tensor:
    """`x != y`, elementwise; shapes must broadcast.

    >>> tf.not_equal(float("nan"), float("nan")).numpy().item()
    True
    """


@binary("LogicalAnd", "logical_and", "math.logical_and")
def logical_and(x, y, name=None) -> Tensor:
    """`x and y`, elementwise.

    >>> tf.logical_and([True, True], [True, False]).numpy().tolist()
    [True, False]
    """


@binary("LogicalOr", "logical_or", "math.logical_or")
def logical_or(x, y, name=None) -> Tensor:
    """`x or y`, elementwise.

    >>> tf.logical_or([False, True], False).numpy().tolist()
    [False, True]
    """


@binary("BitwiseAnd", "bitwise.bitwise_and")
def bitwise_and(x, y, name=None) -> Tensor:
    """The bits set in both.

    >>> tf.bitwise.bitwise_and([6], [3]).numpy().tolist()
    [2]
    """


@binary("BitwiseOr", "bitwise.bitwise_or")
def bitwise_or(x, y, name=None) -> Tensor:
    """The bits set in either.

    >>> tf.bitwise.bitwise_or(6, 3).numpy().item()
    7
    """


@binary("BitwiseXor", "bitwise.bitwise_xor")
def bitwise_xor(x, y, name=None) -> Tensor:
    """The bits set in one of the two.

    >>> tf.bitwise.bitwise_xor([6, 7], 7).numpy().tolist()
    [1, 0]
    """


@binary("LeftShift", "bitwise.left_shift")
def left_shift(x, y, name=None) -> Tensor:
    """Shift bits to the left.

    >>> tf.bitwise.left_shift(1, [0, 1, 2]).numpy().tolist()
    [1, 2, 4]
    """


@binary("RightShift", "bitwise.right_shift")
def right_shift(x, y, name=None) -> Tensor:
    """Shift bits to the right; signed numbers keep their sign.

    >>> tf.bitwise.right_shift([-8, 8], 1).numpy().tolist()
    [-4, 4]
    """


@export("math.logical_xor")
def logical_xor(x, y, name="LogicalXor"):
    """Whether exactly one of the two is true.

    >>> tf.math.logical_xor([True, True], [True, False]).numpy().tolist()
    [False, True]
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name)


# --- casts ----------------------------------------------------------------------------------------------------------------


@export("cast", "dtypes.cast")
def cast(x, dtype, name=None):
    """The same numbers in another dtype. Floats are truncated when cast to integers.

    >>> tf.cast([1.8, -2.2], tf.int32).numpy().tolist()
    [1, -2]
    """
    dtype = dtypes.as_dtype(dtype)
    if isinstance(x, Tensor):
        if x._dtype is dtype:
            return x
    elif isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, dtype), x.indices, x.dense_shape)
    elif hasattr(x, "with_flat_values"):  # ragged
        return x.with_flat_values(cast(x.flat_values, dtype))
    elif hasattr(x, "with_values"):  # sparse
        return x.with_values(cast(x.values, dtype))
    else:
        x = convert_to_tensor(x)
        if x._dtype is dtype:
            return x
    return call("Cast", (x,), {"DstT": dtype}, name)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value, dtype, name=None):
    """Cast, with numbers outside the range of `dtype` clamped to its limits.

    >>> tf.saturate_cast([-5, 300], tf.uint8).numpy().tolist()
    [0, 255]
    """
    value, dtype = convert_to_tensor(value), dtypes.as_dtype(dtype)
    if value._dtype.is_complex and not dtype.is_complex:
        value = real(value)
    source = value._dtype
    if dtype.is_complex:
        return _saturate_to_complex(value, dtype, name)
    if source.kind != "b":
        low, high = _limit_in(source, dtype.min, np.inf), _limit_in(source, dtype.max, -np.inf)
        if source.min < low:
            value = maximum(value, from_array(low))
        if source.max > high:
            value = minimum(value, from_array(high))
    return cast(value, dtype, name)


def _saturate_to_complex(value, dtype, name):
    """Both parts within the range of those of `dtype`."""
    parts = dtypes.float32 if dtype is dtypes.complex64 else dtypes.float64
    if not value._dtype.is_complex:
        return cast(saturate_cast(value, parts), dtype, name)
    if value._dtype is dtype or dtype is dtypes.complex128:
        return cast(value, dtype, name)
    both = (saturate_cast(real(value), parts), saturate_cast(imag(value), parts))
    return call("Complex", both, {"Tout": dtype}, name)


def _limit_in(source, limit, towards):
    """A limit of another type as a number of `source`, rounded to the inside of the range."""
    if source.kind == "f":
        with np.errstate(over="ignore"):  # the largest int32 is an infinity in float16
            number = np.array(limit, source.np_dtype)
        outside = float(number) > float(limit) if towards < 0 else float(number) < float(limit)
        if (
            outside
            or (towards < 0 and float(number) == 2.0**63 and limit == 2**63 - 1)
            or (towards < 0 and float(number) == 2.0**64 and limit == 2**64 - 1)
        ):
            number = np.asarray(np.nextafter(number, source.np_type(towards)))
        return number
    inside = (
        min(max(int(limit), int(source.min)), int(source.max))
        if np.isfinite(float(limit))
        else (source.max if towards < 0 else source.min)
    )
    return np.array(inside, source.np_dtype)


# --- selection -------------------------------------------------------------------------------------------------


@export("where")
def where(condition, x=None, y=None, name=None):
    """Elements of x where the condition holds, else of y; all three broadcast. Without x and y: the indices where it holds.

    >>> tf.where([True, False], [1, 2], [10, 20]).numpy().tolist()
    [1, 20]
    >>> tf.where([False, True, True]).numpy().tolist()
    [[1], [2]]
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is None:
        return call("Where", (convert_to_tensor(condition, dtype_hint=dtypes.bool_),), {}, name)
    x, y = pair(x, y)
    if not (isinstance(condition, TensorBase) or hasattr(condition, "__tf_tensor__")):
        condition = convert_to_tensor(condition, dtypes.bool_)
    return call("SelectV2", (convert_to_tensor(condition), x, y), {}, name)


# functions of one input that other modules use as `math.exp`
__all__ = ["absolute", "conj", "exp", "is_finite", "log", "negative", "real", "sqrt", "square"]
