"""`tf.math`: elementwise arithmetic, casts, selection.

Functions of one input are in `unary.py`, comparisons and logic in `logic.py`, reductions in `reduce.py`, special
functions in `special.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.call import binary, call, one_dtype, operands, takes
from reflow.api.export import export, with_sections
from reflow.api.math.logic import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    equal,
    greater,
    greater_equal,
    left_shift,
    less,
    less_equal,
    logical_and,
    logical_or,
    logical_xor,
    not_equal,
    right_shift,
)
from reflow.api.math.unary import abs as absolute
from reflow.api.math.unary import conj, exp, imag, is_finite, log, logical_not, negative, real, sqrt, square
from reflow.core import dtypes, logging
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor, from_array
from reflow.ops.dispatch import dispatch_two

_STRING = dtypes.string


def pair(x, y, op=None):
    """Two operands as tensors of one dtype."""
    return (x, y) if type(x) is EagerTensor and type(y) is EagerTensor else operands(x, y, op=op)


# --- arithmetic -------------------------------------------------------------------------------------------------------

_ADD, _JOIN = registry.get("AddV2"), registry.get("Add")


@export("add", "math.add")
def add(x, y, name=None):
    """Adds two tensors elementwise; strings are concatenated.

    Args:
      x: A tensor or ragged tensor of a number dtype, or of strings.
      y: The other operand, of the same dtype; shapes broadcast. A Python or NumPy value takes the dtype of the other
        side.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the operands, of the shape that `x` and `y` broadcast to; ragged if one of them is.

    Raises:
      InvalidArgumentError: The dtypes differ, or the shapes do not broadcast; when a graph is built, TypeError or
        ValueError.

    >>> tf.add([1, 2], 10).numpy().tolist()
    [11, 12]
    """
    if type(x) is not EagerTensor or type(y) is not EagerTensor:
        if hasattr(x, "map_pairs") or hasattr(y, "map_pairs"):  # ragged
            return (x if hasattr(x, "map_pairs") else y).map_pairs(add, x, y)
        x, y = operands(x, y, lenient=True)
    op = _JOIN if x._dtype is _STRING else _ADD
    if name is None and type(x) is EagerTensor and type(y) is EagerTensor:
        return dispatch_two(op, x, y)
    return call(op.name, (x, y), {}, name)


add.op = _ADD  # type: ignore[attr-defined] # for operators
add.takes_ragged = True  # type: ignore[attr-defined]


@binary("Sub", "subtract", "math.subtract")
def subtract(x, y, name=None) -> Tensor:
    """Subtracts y from x, elementwise.

    >>> tf.subtract([3, 2], 1).numpy().tolist()
    [2, 1]
    """


@binary("Mul", "multiply", "math.multiply")
def multiply(x, y, name=None) -> Tensor:
    """Multiplies two tensors elementwise.

    >>> tf.multiply([1.0, 2.0], 3).numpy().tolist()
    [3.0, 6.0]
    """


@binary("Maximum", "maximum", "math.maximum")
def maximum(x, y, name=None) -> Tensor:
    """Returns the greater of two elements; NaN wins.

    Of equal elements, x gets the gradient.

    >>> tf.maximum([1, 5], [3, 2]).numpy().tolist()
    [3, 5]
    """


@binary("Minimum", "minimum", "math.minimum")
def minimum(x, y, name=None) -> Tensor:
    """Returns the smaller of two elements; NaN wins.

    >>> tf.minimum([1.0, 5.0], [float("nan"), 2.0]).numpy().tolist()
    [nan, 2.0]
    """


@binary("SquaredDifference", "math.squared_difference")
def squared_difference(x, y, name=None) -> Tensor:
    """Computes `(x - y) ** 2`, elementwise; for complex numbers `(x - y) * conj(x - y)`.

    >>> tf.math.squared_difference([1, 5], 2).numpy().tolist()
    [1, 9]
    """


@binary("Pow", "pow", "math.pow")
def pow(x, y, name=None) -> Tensor:
    """Raises x to the power of y, elementwise.

    >>> tf.pow([2, 3], [3, 2]).numpy().tolist()
    [8, 9]
    """


@binary("FloorMod", "math.floormod", "math.mod")
def floormod(x, y, name=None) -> Tensor:
    """Computes the remainder of flooring division; it has y's sign.

    >>> tf.math.floormod([-7, 7], 3).numpy().tolist()
    [2, 1]
    """


@binary("TruncateDiv", "truncatediv")
def truncatediv(x, y, name=None) -> Tensor:
    """Divides elementwise, rounding towards zero.

    >>> tf.truncatediv([-7, 7], 2).numpy().tolist()
    [-3, 3]
    """


@binary("TruncateMod", "truncatemod")
def truncatemod(x, y, name=None) -> Tensor:
    """Computes the remainder of truncating division; it has x's sign.

    >>> tf.truncatemod([-7.5, 7.5], 3.0).numpy().tolist()
    [-1.5, 1.5]
    """


@binary("RealDiv", "realdiv")
def realdiv(x, y, name=None) -> Tensor:
    """Divides floats elementwise.

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


def float_operands(x, y, what):
    """Operands of a true division: integers become floats."""
    try:
        x, y = pair(x, y)
    except TypeError:  # a Python float beside integers: the message below is TensorFlow's
        x, y = convert_to_tensor(x), convert_to_tensor(y)
    if x._dtype is not y._dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x._dtype!r} != {y._dtype!r}.")
    kind = x._dtype.kind
    if kind in "fc":
        return x, y
    target = _QUOTIENTS.get(x._dtype.name)
    if target is None:
        raise TypeError(f"Invalid dtype {x._dtype!r} in {what}. Expected a number.")
    return cast(x, target), cast(y, target)


_QUOTIENT = """\
Args:
  x: The dividend, a tensor of numbers.
  y: The divisor, of the same dtype; shapes broadcast.
  name: A name for the operation.

Returns:
  A tensor of the shape that `x` and `y` broadcast to: of their dtype for floats and complex numbers, float32 for
  integers of 8 and 16 bits, float64 for longer ones.

Raises:
  TypeError: The dtypes differ, or are no numbers.
"""


@export("truediv", "math.truediv")
@with_sections(_QUOTIENT)
def truediv(x, y, name=None):
    """Divides as Python 3 does: int32 and int64 give float64, shorter integers float32.

    >>> tf.truediv(7, 2).numpy().item()
    3.5
    """
    return call("RealDiv", float_operands(x, y, "__truediv__"), {}, name)


@export("divide", "math.divide")
@with_sections(_QUOTIENT)
def divide(x, y, name=None):
    """Computes `x / y`, elementwise, as Python 3 does: integers give floats.

    >>> tf.divide([6, 3], 2).numpy().tolist()
    [3.0, 1.5]
    """
    return call("RealDiv", float_operands(x, y, "__truediv__"), {}, name)


@export("math.divide_no_nan")
def divide_no_nan(x, y, name=None):
    """Computes `x / y`, and 0 where y is 0.

    Args:
      x: The dividend, a tensor of numbers.
      y: The divisor, of the same dtype; shapes broadcast.
      name: A name for the operation.

    Returns:
      A tensor of the shape that `x` and `y` broadcast to, of the dtype that `tf.divide` gives.

    Raises:
      TypeError: The dtypes differ, or are no numbers.

    >>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy().tolist()
    [1.5, 0.0]
    """
    return call("DivNoNan", float_operands(x, y, "divide_no_nan"), {}, name)


@export("math.floordiv")
def floordiv(x, y, name=None):
    """Divides elementwise, rounding down.

    Args:
      x: The dividend, a tensor of a float or integer dtype.
      y: The divisor, of the same dtype; shapes broadcast.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the operands, of the shape that they broadcast to.

    Raises:
      InvalidArgumentError: An integer is divided by 0, the dtypes differ, or the shapes do not broadcast.

    >>> tf.math.floordiv([-7, 7], 2).numpy().tolist()
    [-4, 3]
    """
    return call("FloorDiv", pair(x, y, registry.get("FloorDiv")), {}, name)


@export("math.multiply_no_nan")
def multiply_no_nan(x, y, name=None):
    """Computes `x * y`, and 0 where y is 0, also if x is infinite or NaN.

    Args:
      x: A tensor of a float or complex dtype.
      y: The other factor, of the same dtype; shapes broadcast.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the operands, of the shape that they broadcast to.

    >>> tf.math.multiply_no_nan([float("nan")], [0.0]).numpy().tolist()
    [0.0]
    """
    return call("MulNoNan", pair(x, y), {}, name)


@export("math.reciprocal_no_nan")
@takes("x: A tensor of a float or complex dtype", returns="A tensor of the shape and dtype of `x`")
def reciprocal_no_nan(x, name=None):
    """Computes `1 / x`, and 0 where x is 0.

    Raises:
      InvalidArgumentError: `x` has another dtype.

    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy().tolist()
    [0.5, 0.0]
    """
    x = convert_to_tensor(x)
    return call("DivNoNan", (from_array(np.ones((), x._dtype.np_dtype)), x), {}, name)


@export("math.scalar_mul", "scalar_mul")
def scalar_mul(scalar, x, name=None) -> Any:
    """Multiplies a tensor or `tf.IndexedSlices` by a scalar.

    Args:
      scalar: The factor, a number or a tensor of rank 0; it takes the dtype of `x`.
      x: A tensor, or `tf.IndexedSlices`, whose values are multiplied.
      name: A name for the operation.

    Returns:
      A tensor, or `tf.IndexedSlices`, of the shape and dtype of `x`.

    Raises:
      ValueError: `scalar` is not a scalar.

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
    """Adds a list of tensors of equal shape and dtype.

    Args:
      inputs: A list of one or more tensors.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of the inputs.

    Raises:
      ValueError: The list is empty.
      InvalidArgumentError: Shapes or dtypes differ.

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
    """Adds a list of tensors, like `tf.add_n`.

    Args:
      inputs: A list or tuple of one or more tensors of equal shape and dtype.
      shape: The shape that all of them must have; by default that of the first.
      tensor_dtype: The dtype that they must have; by default that of the first.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of the inputs.

    Raises:
      ValueError: The list is empty, or a shape is not compatible with the others.
      TypeError: `tensor_dtype` is not the dtype of the inputs.

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


# --- casts ------------------------------------------------------------------------------------------------------------


@export("cast", "dtypes.cast")
def cast(x, dtype, name=None) -> Any:
    """Converts a tensor to another dtype. Floats are truncated when cast to integers.

    Args:
      x: A tensor, sparse tensor, ragged tensor or `tf.IndexedSlices` of numbers or booleans. Of complex numbers cast to
        real ones, the real part is kept.
      dtype: The dtype of the result.
      name: A name for the operation.

    Returns:
      What `x` is, with elements of `dtype`; `x` itself if it is a tensor of that dtype.

    Raises:
      TypeError: `dtype` is not a dtype.
      UnimplementedError: There is no such conversion, for example of strings.

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
    if x._dtype.kind == "c" and dtype.kind == "f":
        logging.warn(
            f"You are casting an input of type {x._dtype.name} to an incompatible dtype {dtype.name}.  This will "
            "discard the imaginary part and may not be what you intended."
        )
    return call("Cast", (x,), {"DstT": dtype}, name)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value, dtype, name=None):
    """Converts a tensor to another dtype, with numbers outside its range clamped to its limits.

    Args:
      value: A tensor of numbers. Of complex numbers cast to real ones, the real part is kept.
      dtype: The dtype of the result.
      name: A name for the operation.

    Returns:
      A tensor of the shape of `value`, of dtype `dtype`.

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
    """Picks elements of x where the condition holds, else of y; without x and y: the indices where it holds.

    The condition, x and y broadcast.

    Args:
      condition: A tensor of booleans; without `x` and `y` also of numbers, which hold where they are not 0.
      x: The elements where the condition holds; None for indices.
      y: The elements where it does not, of the dtype of `x`; None for indices.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `x`, of the shape that all three broadcast to; without `x` and `y` an int64 matrix, a row
      of indices for each true element.

    Raises:
      ValueError: Only one of `x` and `y` is given.
      InvalidArgumentError: The shapes do not broadcast, or `x` and `y` differ in dtype.

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


# functions of other modules that many use as `math.exp` and `math.less`
__all__ = [
    "absolute", "bitwise_and", "bitwise_or", "bitwise_xor", "conj", "equal", "exp", "greater", "greater_equal",
    "is_finite", "left_shift", "less", "less_equal", "log", "logical_and", "logical_not", "logical_or", "logical_xor",
    "negative", "not_equal", "real", "right_shift", "sqrt", "square",
]  # fmt: skip
