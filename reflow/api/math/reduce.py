"""`tf.math`: reductions along axes, running reductions, and functions composed of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.export import Made, export, export_function, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.context import entered_again, state
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor, from_array
from reflow.ops.dispatch import host_array
from reflow.ops.from_python import short_name
from reflow.ops.xp import host as host_xp


@functools.lru_cache(maxsize=64)
def _axis_array(axis) -> np.ndarray:
    """Axes given as an int or a tuple, as the operand of a reduction."""
    array = np.array(axis, np.int64)
    fits = all(-(2**31) <= a < 2**31 for a in array.reshape(-1).tolist())
    return array.astype(np.int32) if fits else array


def reduction_axes(x, axis):
    """The operand that says along which axes to reduce: all, if `axis` is None."""
    if axis is None:
        rank = x.shape.rank
        if rank is None:
            limit = call("Rank", (x,))
            return call("Range", (constant(0), limit, constant(1)))
        axis = tuple(range(rank))
        if state.graph is not None:
            return constant(_axis_array(axis), name="Const")  # named so in TensorFlow
    elif type(axis) is list:
        try:
            axis = tuple(axis)
            hash(axis)
        except TypeError:
            return convert_to_tensor(axis)
    if type(axis) is int or (type(axis) is tuple and all(type(a) is int for a in axis)):
        array = _axis_array(axis)
        return EagerTensor(array) if state.graph is None else from_array(array)
    if isinstance(axis, tuple) and not axis:
        axis = np.zeros(0, np.int32)
    return convert_to_tensor(axis)


_WHOLE = {name: getattr(host_xp, name.lower()) for name in ("Sum", "Mean", "Prod", "Max", "Min", "All", "Any")}


def reduce_with(op_name, input_tensor, axis, keepdims, name) -> Any:
    if axis is None and (value := host_array(input_tensor)) is not None:
        # the whole of an eager tensor, unwatched: no axis operand, no dispatch (2.5 µs instead of 5 for 10x10)
        allowed, whole = registry.REGISTRY[op_name].first_dtypes, _WHOLE.get(op_name)
        if whole is not None and (allowed is None or input_tensor._dtype.enum in allowed):
            try:
                return EagerTensor(state.run(whole, value, tuple(range(value.ndim)), bool(keepdims)))
            except RuntimeError as error:
                entered_again(error)
    if isinstance(input_tensor, RaggedTensor):
        from reflow.api.ragged.reduce import ragged_reduce

        return ragged_reduce(op_name, functools.partial(reduce_with, op_name), input_tensor, axis, keepdims, name)
    x = input_tensor if isinstance(input_tensor, EagerTensor) else convert_to_tensor(input_tensor)
    out = call(op_name, (x, reduction_axes(x, axis)), {"keep_dims": bool(keepdims)}, name)
    if axis is None and not keepdims and type(out) is not EagerTensor:
        out.set_shape(())  # also when the rank of x is not known
    return out


_NUMBERS = "A tensor or ragged tensor of numbers"
_ORDERED = "A tensor or ragged tensor of a float or integer dtype"
_NO_BOOLEANS = "InvalidArgumentError: There is no such axis, or the dtype is bool"
_NO_NUMBERS = "InvalidArgumentError: There is no such axis, or the dtype is not a number"
_OTHER_DTYPE = "InvalidArgumentError: There is no such axis, or `input_tensor` has another dtype"


def _arguments(kind: str, do: str = "reduce") -> str:
    """What the docstring of a reduction says of its arguments."""
    return f"""\
Args:
  input_tensor: {kind}.
  axis: The axis, or a list of axes, to {do}; None for all.
  keepdims: Whether to keep these axes, with size 1.
  name: A name for the operation.
"""


def _reduction(
    kind: str, error: str = "", do="reduce", done="reduced", of="`input_tensor`", but=""
) -> Callable[[Made], Made]:
    """A decorator that adds the sections of a reduction to a docstring."""
    result = f"A tensor of the dtype of {of}, without the axes that were {done} unless\n  `keepdims`{but}."
    raises = f"\nRaises:\n  {error}.\n" if error else ""
    return with_sections(f"{_arguments(kind, do)}\nReturns:\n  {result}\n{raises}")


@export("reduce_sum", "math.reduce_sum")
@_reduction(_NUMBERS, _NO_BOOLEANS, do="sum along", done="summed")
def reduce_sum(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Sums the elements along `axis`, or all elements if it is None.

    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=0).numpy().tolist()
    [4, 6]
    """
    return reduce_with("Sum", input_tensor, axis, keepdims, name)


@export("reduce_mean", "math.reduce_mean")
@_reduction(_NUMBERS, _NO_BOOLEANS, do="average along", done="averaged", but="; NaN for the mean of no floats")
def reduce_mean(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Averages the elements along `axis`. The mean of integers is truncated to an integer.

    >>> tf.reduce_mean([1.0, 2.0]).numpy().item()
    1.5
    >>> tf.reduce_mean([1, 2]).numpy().item()
    1
    """
    return reduce_with("Mean", input_tensor, axis, keepdims, name)


@export("reduce_prod", "math.reduce_prod")
@_reduction(_NUMBERS, _NO_BOOLEANS, do="multiply along", done="multiplied")
def reduce_prod(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Multiplies the elements along `axis`.

    >>> tf.reduce_prod([1, 2, 3, 4]).numpy().item()
    24
    """
    return reduce_with("Prod", input_tensor, axis, keepdims, name)


@export("reduce_max", "math.reduce_max")
@_reduction(_ORDERED, _NO_NUMBERS, but="; the lowest number (`-inf`) where there are no elements")
def reduce_max(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Returns the greatest element along `axis`. Ties share the gradient.

    >>> tf.reduce_max([[1, 2], [3, 4]], axis=1, keepdims=True).numpy().tolist()
    [[2], [4]]
    """
    return reduce_with("Max", input_tensor, axis, keepdims, name)


@export("reduce_min", "math.reduce_min")
@_reduction(_ORDERED, _NO_NUMBERS, but="; the highest number (`inf`) where there are no elements")
def reduce_min(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Returns the smallest element along `axis`. Ties share the gradient.

    >>> tf.reduce_min([[1, 2], [3, 4]]).numpy().item()
    1
    """
    return reduce_with("Min", input_tensor, axis, keepdims, name)


def _booleans(x):
    """Python values as booleans, where they are; NumPy's numbers, cast; tensors as they are."""
    plain = isinstance(x, (np.ndarray, np.generic)) or not (hasattr(x, "dtype") or hasattr(x, "with_flat_values"))
    return convert_to_tensor(x, dtypes.bool_) if plain else x


_LOGICAL = f"""\
{_arguments("A tensor or ragged tensor of booleans")}
Returns:
  A bool tensor without the axes that were reduced, unless `keepdims`; {{of_none}} where there are no elements.

Raises:
  InvalidArgumentError: There is no such axis, or `input_tensor` is a tensor of another dtype.
"""


def _logical(op_name: str, public: str, which: str, rows: list, of_none: str):
    """A public reduction of booleans; the example shows it along the second axis."""

    def function(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
        return reduce_with(op_name, _booleans(input_tensor), axis, keepdims, name)

    doc = f"Says whether {which} true.\n\n{_LOGICAL.format(of_none=of_none)}"
    example = f">>> tf.{public}({rows}, axis=1).numpy().tolist()\n[True, False]"
    return export_function(function, public, f"math.{public}", doc=doc, example=example)


reduce_all = _logical("All", "reduce_all", "all elements along `axis` are", [[True, True], [False, True]], "true")
reduce_any = _logical("Any", "reduce_any", "any element along `axis` is", [[False, True], [False, False]], "false")


@export("math.reduce_euclidean_norm")
@_reduction("A tensor of numbers", but="; norms of integers are truncated")
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Computes the square root of the sum of squares along `axis`.

    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy().item()
    5.0
    """
    return reduce_with("EuclideanNorm", convert_to_tensor(input_tensor), axis, bool(keepdims), name)


def _spread(name: str) -> Callable[[Made], Made]:
    """A decorator that exports the variance, or what is computed from it."""
    of, error = "`input_tensor` (of its parts, if complex)", "TypeError: `input_tensor` has integers"
    sections = _reduction("A tensor of a float or complex dtype", error, of=of)
    return lambda function: export(f"math.{name}")(scoped(name)(sections(function)))


@_spread("reduce_variance")
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Computes the variance along `axis`: the mean squared distance from the mean.

    >>> tf.math.reduce_variance([1.0, 3.0]).numpy().item()
    1.0
    """
    x = convert_to_tensor(input_tensor)
    means = reduce_mean(x, axis, keepdims=True)
    if means._dtype.is_integer:
        raise TypeError(f"Input must be either real or complex. Received integer type {means._dtype}.")
    distance = m.subtract(x, means)
    squares = m.real(m.multiply(m.conj(distance), distance)) if distance._dtype.is_complex else m.square(distance)
    return reduce_mean(squares, axis, keepdims, name)


@_spread("reduce_std")
def reduce_std(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Computes the standard deviation along `axis`: the square root of the variance.

    >>> tf.math.reduce_std([1.0, 3.0]).numpy().item()
    1.0
    """
    return m.sqrt(reduce_variance(input_tensor, axis, keepdims), name)


@export("reduce_logsumexp", "math.reduce_logsumexp")
@scoped("ReduceLogSumExp", result=True)
@_reduction("A tensor of a float dtype", _OTHER_DTYPE)
def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """Computes `log(sum(exp(x)))` along `axis`, without overflow.

    >>> round(tf.reduce_logsumexp([1000.0, 1000.0]).numpy().item(), 3)
    1000.693
    """
    x = convert_to_tensor(input_tensor)
    greatest = reduce_max(x, axis, keepdims=True)
    shift = call("StopGradient", (m.where(m.is_finite(greatest), greatest, call("ZerosLike", (greatest,))),))
    result = m.log(reduce_sum(m.exp(m.subtract(x, shift)), axis, keepdims))
    if not keepdims:
        shift = call("Reshape", (shift, call("Shape", (result,))))
    return m.add(result, shift, name)


@export("math.count_nonzero")
@scoped("count_nonzero")
def count_nonzero(input, axis=None, keepdims=None, dtype: Any = dtypes.int64, name=None):
    """Counts the nonzero elements along `axis` (nonempty ones, for strings).

    Args:
      input: A tensor of numbers, booleans or strings.
      axis: The axis, or a list of axes, to count along; None for all.
      keepdims: Whether to keep these axes, with size 1.
      dtype: The dtype of the counts.
      name: A name for the operation.

    Returns:
      A tensor of dtype `dtype`, without the axes that were counted unless `keepdims`.

    >>> tf.math.count_nonzero([[0, 1], [2, 3]], axis=1).numpy().tolist()
    [1, 2]
    """
    x = convert_to_tensor(input)
    zero = constant("") if x._dtype is dtypes.string else from_array(np.zeros((), x._dtype.np_dtype))
    total = reduce_sum(m.cast(m.not_equal(x, zero), dtypes.int64), axis, bool(keepdims))
    return m.cast(total, dtype, name)


# --- arg-extrema and running reductions ------------------------------------------------------------------------------


_INDICES = (dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64)  # what `argmax` may return


def _arg(op_name, x, axis, output_type, name):
    if axis is None:
        axis = 0
    elif not isinstance(axis, (int, np.integer, np.ndarray, TensorBase)) and not hasattr(axis, "__tf_tensor__"):
        raise TypeError("axis must be int or Tensor with integer datatype")
    axis = convert_to_tensor(axis)
    kind = dtypes.as_dtype(dtypes.int64 if output_type is None else output_type)
    if kind not in _INDICES:
        allowed = ", ".join(d.name for d in _INDICES)
        message = f"Value for attr 'output_type' of {short_name(kind)} is not in the list of allowed values: {allowed}"
        raise InvalidArgumentError(None, None, message)
    return call(op_name, (convert_to_tensor(x), axis), {"output_type": kind}, name)


_POSITION = """\
Args:
  input: A tensor of numbers or booleans.
  axis: The axis to search; 0 if None.
  output_type: The dtype of the indices: int16, uint16, int32 or int64.
  name: A name for the operation.

Returns:
  A tensor of dtype `output_type`, of the shape of `input` without `axis`.

Raises:
  InvalidArgumentError: There is no such axis, it is empty, or `output_type` is another dtype.
"""


def _position(op_name: str, public: str, which: str, result: list):
    """A public search for the place of an extreme."""

    def function(input, axis=None, output_type: Any = dtypes.int64, name=None):
        return _arg(op_name, input, axis, output_type, name)

    doc = f"Finds the index of the {which} element along `axis`; the first one for ties.\n\n{_POSITION}"
    example = f">>> tf.{public}([[1, 5, 2], [7, 0, 7]], axis=1).numpy().tolist()\n{result}"
    return export_function(function, public, f"math.{public}", doc=doc, example=example)


argmax = _position("ArgMax", "argmax", "greatest", [1, 0])
argmin = _position("ArgMin", "argmin", "smallest", [0, 1])


def _scan(op_name, x, axis, exclusive, reverse, name):
    return call(
        op_name, (convert_to_tensor(x), convert_to_tensor(axis)),
        {"exclusive": bool(exclusive), "reverse": bool(reverse)}, name,
    )


_CUMULATIVE = """\
Args:
  reverse: Whether to start at the end of the axis.
  name: A name for the operation.

Returns:
  A tensor of the shape and dtype of `x`.

Raises:
  InvalidArgumentError: There is no such axis.
"""


@export("cumsum", "math.cumsum")
@with_sections(_CUMULATIVE)
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Computes running sums along `axis`.

    Args:
      x: A tensor of numbers.
      axis: The axis to sum along.
      exclusive: Whether a sum excludes the element at its own place.

    >>> tf.cumsum([1, 2, 3]).numpy().tolist()
    [1, 3, 6]
    >>> tf.cumsum([1, 2, 3], exclusive=True, reverse=True).numpy().tolist()
    [5, 3, 0]
    """
    return _scan("Cumsum", x, axis, exclusive, reverse, name)


@export("math.cumprod")
@with_sections(_CUMULATIVE)
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Computes running products along `axis`.

    Args:
      x: A tensor of numbers.
      axis: The axis to multiply along.
      exclusive: Whether a product excludes the element at its own place; the first is then 1.

    >>> tf.math.cumprod([1, 2, 3]).numpy().tolist()
    [1, 2, 6]
    """
    return _scan("Cumprod", x, axis, exclusive, reverse, name)


@export("math.cumulative_logsumexp")
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """Computes running `log(sum(exp(x)))` along `axis`, without overflow.

    Args:
      x: A tensor of a float dtype.
      axis: The axis to reduce along.
      exclusive: Whether a result excludes the element at its own place; the first is then `-inf`.
      reverse: Whether to start at the end of the axis.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `x`.

    Raises:
      InvalidArgumentError: There is no such axis, or `x` has another dtype.

    >>> tf.math.cumulative_logsumexp([0.0]).numpy().tolist()
    [0.0]
    """
    return _scan("CumulativeLogsumexp", x, axis, exclusive, reverse, name)
