"""`tf.experimental.numpy`: creation of tensors: constants, ranges, diagonals, grids."""

from __future__ import annotations

import builtins

import numpy as np

from reflow.api.array import arrange
from reflow.api.array import creation as tensors
from reflow.api.export import export, export_function, with_sections
from reflow.api.linalg import diag as diagonals
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.numpy.arrays import array, as_tensor, asarray
from reflow.api.numpy.shaping import moveaxis
from reflow.api.numpy.types import default_float, promote_types, result_type
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor

_SPACE = "experimental.numpy."


def _dtype(dtype):
    return result_type(dtype) if dtype else dtypes.as_dtype(default_float())


_FILLED = """\
Args:
  shape: An int, or a sequence of them.
  dtype: The dtype of the result, float64 by default.

Returns:
  A tensor of that shape and dtype.
"""


@export(_SPACE + "zeros")
@with_sections(_FILLED)
def zeros(shape, dtype=float):
    """Creates a tensor filled with zeros.

    >>> tf.experimental.numpy.zeros(2)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([0., 0.])>
    """
    return tensors.zeros(shape, _dtype(dtype))


@export(_SPACE + "ones")
@with_sections(_FILLED)
def ones(shape, dtype=float):
    """Creates a tensor filled with ones.

    >>> tf.experimental.numpy.ones(2).numpy().tolist()
    [1.0, 1.0]
    """
    return tensors.ones(shape, _dtype(dtype))


@export(_SPACE + "empty")
@with_sections(_FILLED)
def empty(shape, dtype=float):
    """Creates a tensor whose values do not matter; they are zeros.

    >>> arrays = tf.experimental.numpy
    >>> arrays.empty([2]).shape
    TensorShape([2])
    """
    return zeros(shape, dtype)


def _like_dtype(a, dtype):
    return result_type(dtype) if dtype else result_type(a)


_LIKE = """\
Args:
  a: A tensor or an array-like value.
  dtype: The dtype of the result; by default that of `a`.

Returns:
  A tensor in the shape of `a`.
"""


def _like(name: str, what: str, function, argument: list, result: list):
    def like(a, dtype=None):
        return function(as_tensor(a), _like_dtype(a, dtype))

    doc = f"Creates a tensor of {what} in the shape of another.\n\n{_LIKE}"
    example = f">>> tf.experimental.numpy.{name}({argument}).numpy().tolist()\n{result}"
    return export_function(like, _SPACE + name, doc=doc, example=example)


zeros_like = _like("zeros_like", "zeros", tensors.zeros_like, [1, 2], [0, 0])
ones_like = _like("ones_like", "ones", tensors.ones_like, [1.5, 2.5], [1.0, 1.0])


@export(_SPACE + "empty_like")
@with_sections(_LIKE)
def empty_like(a, dtype=None):
    """Creates a tensor in the shape of another whose values do not matter; they are zeros.

    >>> arrays = tf.experimental.numpy
    >>> arrays.empty_like([1, 2]).shape
    TensorShape([2])
    """
    return zeros_like(a, dtype)


@export(_SPACE + "full")
def full(shape, fill_value, dtype=None):
    """Creates a tensor filled with one value, or with a value that is broadcast.

    Args:
      shape: An int, or a sequence of them.
      fill_value: A number, or a tensor or array-like value that can be broadcast to the shape.
      dtype: The dtype of the result; by default that of `fill_value`.

    Returns:
      A tensor of that shape.

    Raises:
      InvalidArgumentError: `fill_value` cannot be broadcast to the shape.

    >>> tf.experimental.numpy.full([2, 2], 7).numpy().tolist()
    [[7, 7], [7, 7]]
    """
    sizes = arrange.reshape(convert_to_tensor(shape, dtype_hint=dtypes.int32), [-1])
    return arrange.broadcast_to(asarray(fill_value, dtype), sizes)


@export(_SPACE + "full_like")
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """Creates a tensor in the shape of another, filled with one value.

    Args:
      a: A tensor or an array-like value.
      fill_value: A number, or a value that can be broadcast to the shape of `a`.
      dtype: The dtype of the result; by default that of `a`.
      order: Must be "K".
      subok: Must be True.
      shape: Must be None.

    Returns:
      A tensor in the shape of `a`.

    Raises:
      ValueError: `order`, `subok` or `shape` has another value.

    >>> tf.experimental.numpy.full_like([1, 2], 7).numpy().tolist()
    [7, 7]
    """
    if order != "K":
        raise ValueError("Non-standard orders are not supported.")
    if not subok:
        raise ValueError("subok being False is not supported.")
    if shape:
        raise ValueError("Overriding the shape is not supported.")
    a = asarray(a)
    return arrange.broadcast_to(asarray(fill_value, dtype or a.dtype), arrange.shape(a))


@export(_SPACE + "broadcast_to")
def broadcast_to(array, shape):
    """Repeats an array to fill a shape.

    Args:
      array: A tensor or an array-like value.
      shape: An int, or a sequence of them.

    Returns:
      A tensor of that shape, of the dtype of `array`.

    Raises:
      InvalidArgumentError: The array cannot be broadcast to the shape.

    >>> tf.experimental.numpy.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return full(shape, array)


_MATRIX = """\
Args:
  N: The number of rows.
  M: The number of columns; by default `N`.
  k: The diagonal: 0 is the main one, positive ones lie above it, negative ones below.
  dtype: The dtype of the result, float64 by default.

Returns:
  A tensor of shape `[N, M]`.
"""


@export(_SPACE + "eye")
@with_sections(_MATRIX)
def eye(N, M=None, k=0, dtype=float):
    """Creates a matrix with ones on a diagonal and zeros elsewhere.

    >>> tf.experimental.numpy.eye(2, k=1).numpy().tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    rows, columns, k, dtype = int(N), int(M or N), int(k), _dtype(dtype)
    if k >= columns or -k >= rows:
        return zeros([rows, columns], dtype)
    length = builtins.min(rows + builtins.min(k, 0), columns - builtins.max(k, 0))
    return diagonals.diag(tensors.ones([length], dtype), k=k, num_rows=rows, num_cols=columns)


@export(_SPACE + "identity")
def identity(n, dtype=float):
    """Creates an identity matrix.

    Args:
      n: The number of rows and columns.
      dtype: The dtype of the result, float64 by default.

    Returns:
      A tensor of shape `[n, n]`.

    >>> tf.experimental.numpy.identity(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return eye(n, n, dtype=dtype)


@export(_SPACE + "arange")
def arange(start, stop=None, step=1, dtype=None):
    """Creates a vector of equally spaced numbers, up to but not including `stop`.

    Args:
      start: The first number; if `stop` is missing, the end instead, and the numbers start at 0.
      stop: The end, which is left out.
      step: The distance between neighbours; it may be negative.
      dtype: The dtype of the result; by default the common dtype of the numbers given.

    Returns:
      A vector; an empty one if `step` leads away from the end.

    Raises:
      ValueError: `step` is 0.

    >>> tf.experimental.numpy.arange(1, 7, 2).numpy().tolist()
    [1, 3, 5]
    """
    if not step:
        raise ValueError("step must be non-zero.")
    dtype = result_type(dtype) if dtype else result_type(*(x for x in (start, step, stop) if x is not None))
    first, last = (0, start) if stop is None else (start, stop)
    if (step > 0 and first > last) or (step < 0 and first < last):
        return array([], dtype=dtype)
    return m.cast(tensors.range(start, limit=stop, delta=step), dtype)


@export(_SPACE + "linspace")
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=float, axis=0):
    """Creates `num` equally spaced numbers from `start` to `stop`.

    Args:
      start: The first number, or a tensor of them.
      stop: The last number, or a tensor of them.
      num: How many numbers.
      endpoint: Whether `stop` is the last of them.
      retstep: Whether the distance is returned too.
      dtype: A true value; the result has the dtype of `start` and `stop` as floating-point numbers.
      axis: The new axis along which the numbers lie.

    Returns:
      A tensor, or with `retstep` a pair of it and the distance, which is NaN if there is only one number.

    Raises:
      ValueError: `num` is negative.

    >>> tf.experimental.numpy.linspace(0, 1, 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    if num < 0:
        raise ValueError(f"Argument `num` (number of samples) must be a non-negative integer. Received: num={num}")
    dtype = result_type([start * 1.0, stop * 1.0]) if dtype else None
    start, stop = array(start, dtype=dtype), array(stop, dtype=dtype)
    step = constant(np.nan)
    last = stop
    parts = num - 1 if endpoint else num
    if parts > 0:
        step = (stop - start) / m.cast(parts, stop.dtype)
        last = stop if endpoint or num == 1 else stop - step
    result = tensors.linspace(start, last, num, axis=axis)
    return (result, step) if retstep else result


@export(_SPACE + "logspace")
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Creates powers of `base` whose exponents are equally spaced from `start` to `stop`.

    Args:
      start: The first exponent, or a tensor of them.
      stop: The last exponent, or a tensor of them.
      num: How many numbers.
      endpoint: Whether the power of `stop` is the last of them.
      base: The number that is raised to the exponents.
      dtype: The dtype of the result; by default that of the exponents as floating-point numbers.
      axis: The new axis along which the numbers lie.

    Returns:
      A tensor.

    Raises:
      ValueError: `num` is negative.

    >>> tf.experimental.numpy.logspace(0, 2, 3).numpy().tolist()
    [1.0, 10.0, 100.0]
    """
    exponents = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    result = m.pow(as_tensor(base, exponents.dtype), exponents)
    return m.cast(result, dtype) if dtype else result


@export(_SPACE + "geomspace")
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Creates numbers from `start` to `stop`, each a constant multiple of the one before.

    Args:
      start: The first number, or a tensor of them; not 0.
      stop: The last number, or a tensor of them; of the same sign.
      num: How many numbers.
      endpoint: Whether `stop` is the last of them.
      dtype: The dtype of the result; by default the common dtype of `start`, `stop` and a float.
      axis: The new axis along which the numbers lie.

    Returns:
      A tensor.

    Raises:
      ValueError: `num` is negative.

    >>> tf.experimental.numpy.geomspace(1, 8, 4).numpy().round(4).tolist()
    [1.0, 2.0, 4.0, 8.0]
    """
    dtype = dtypes.as_dtype(dtype) if dtype else result_type(start, stop, float(num), default_float())
    work = promote_types(dtype, np.float32)
    start, stop = asarray(start, work), asarray(stop, work)
    negative = m.logical_and(unary.real(start) < 0, unary.real(stop) < 0)
    sign = m.cast(m.where(negative, -1, 1), work)
    first, last = (unary.log(sign * x) / constant(np.log(10.0), work) for x in (start, stop))
    result = sign * logspace(first, last, num, endpoint=endpoint)
    return m.cast(result if axis == 0 else moveaxis(result, 0, axis), dtype)


@export(_SPACE + "meshgrid")
def meshgrid(*xi, **kwargs):
    """Creates the coordinates of a grid from those of its axes.

    Args:
      *xi: The coordinates along each axis, as vectors.
      **kwargs: `indexing`: "xy" puts the first vector along the second axis, as in a plot, "ij" along the first; "xy"
        by default. `sparse` and `copy` are accepted only as False and True.

    Returns:
      A list with a tensor for each vector, all in the shape of the grid.

    Raises:
      ValueError: `indexing`, `sparse` or `copy` has another value.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]
    """
    sparse, copies = kwargs.get("sparse", False), kwargs.get("copy", True)
    if sparse:
        raise ValueError(f"Function `meshgrid` does not support returning sparse arrays yet. Received: sparse={sparse}")
    if not copies:
        raise ValueError(f"Function `meshgrid` only supports copy=True. Received: copy={copies}")
    return tensors.meshgrid(*(asarray(x) for x in xi), indexing=kwargs.get("indexing", "xy"))


# --- diagonals and triangles ------------------------------------------------------------------------------------------


@export(_SPACE + "diag")
def diag(v, k=0):
    """Creates a matrix with a vector on a diagonal, or takes a diagonal of a matrix.

    Args:
      v: A vector or a matrix.
      k: The diagonal: 0 is the main one, positive ones lie above it, negative ones below.

    Returns:
      A square matrix if `v` is a vector, a vector if it is a matrix.

    Raises:
      ValueError: `v` has neither one nor two axes.

    >>> tf.experimental.numpy.diag([1, 2], 1).numpy().tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    >>> tf.experimental.numpy.diag([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    v = asarray(v)
    if v.shape.rank not in (1, 2):
        raise ValueError(f"Argument `v` must have one or two axes. Received: {v}")
    if v.shape.rank == 2:
        return diagonal(v, k)
    return zeros([builtins.abs(k)] * 2, v.dtype) if v.shape[0] == 0 else diagonals.diag(v, k=k)


@export(_SPACE + "diagflat")
def diagflat(v, k=0):
    """Creates a matrix with all elements of a tensor on a diagonal.

    Args:
      v: A tensor or an array-like value, treated as a vector.
      k: The diagonal: 0 is the main one, positive ones lie above it, negative ones below.

    Returns:
      A square matrix of the dtype of `v`.

    >>> tf.experimental.numpy.diagflat([[1, 2]]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return diag(arrange.reshape(asarray(v), [-1]), k)


@export(_SPACE + "diagonal")
def diagonal(a, offset=0, axis1=0, axis2=1):
    """Takes a diagonal of the matrices that lie in two axes.

    Args:
      a: A tensor or an array-like value of at least two axes.
      offset: The diagonal: 0 is the main one, positive ones lie above it, negative ones below.
      axis1: The axis of the rows.
      axis2: The axis of the columns.

    Returns:
      A tensor with the other axes of `a` and, last, the diagonal.

    >>> tf.experimental.numpy.diagonal([[1, 2], [3, 4]], offset=1).numpy().tolist()
    [2]
    """
    a = asarray(a)
    rank = a.shape.rank
    if rank is None or (axis1 % rank, axis2 % rank) != (rank - 2, rank - 1):
        a = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = a.shape[-2:].as_list()
    if None not in (rows, columns) and (offset <= -rows or offset >= columns):
        return tensors.zeros(arrange.concat([arrange.shape(a)[:-2], [0]], 0), a.dtype)
    return diagonals.diag_part(a, k=offset)


@export(_SPACE + "diag_indices")
def diag_indices(n, ndim=2):
    """Returns the indices of the main diagonal of a tensor whose axes all have the same size.

    Args:
      n: The size of each axis.
      ndim: The number of axes.

    Returns:
      A tuple with an int32 vector for each axis.

    Raises:
      ValueError: An argument is negative.

    >>> [i.numpy().tolist() for i in tf.experimental.numpy.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    for name, value in (("n", n), ("ndim", ndim)):
        if value < 0:
            raise ValueError(f"{name} argument to diag_indices must be nonnegative, got {value}")
    return (tensors.range(n),) * ndim


@export(_SPACE + "tri")
@with_sections(_MATRIX)
def tri(N, M=None, k=0, dtype=None):
    """Creates a matrix with ones on and below a diagonal, and zeros above it.

    >>> tf.experimental.numpy.tri(2, 3).numpy().tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    rows, columns = tensors.range(N)[:, None], tensors.range(N if M is None else M)
    return m.cast(columns - rows <= k, _dtype(dtype))


def _triangle(name: str, matrix, k: int, lower: bool):
    matrix = asarray(matrix)
    if matrix.shape.rank is None:
        raise ValueError(f"Argument to {name} should have known rank")
    if matrix.shape.rank < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    rows, columns = matrix.shape[-2:].as_list()
    if rows is None or columns is None:
        raise ValueError("Currently, the last two dimensions of the input array need to be known.")
    mask = tri(rows, columns, k=k if lower else k - 1, dtype=bool)
    zero = constant(0, matrix.dtype)
    return m.where(mask, matrix, zero) if lower else m.where(mask, zero, matrix)


_TRIANGLE = """\
Args:
  m: A matrix, or a tensor of matrices in its last two axes, whose sizes are known.
  k: The diagonal: 0 is the main one, positive ones lie above it, negative ones below.

Returns:
  A tensor of the shape and dtype of `m`.

Raises:
  ValueError: `m` has fewer than two axes, or they are unknown.
"""


def _part(name: str, where: str, lower: bool, result: list):
    def triangle(m, k=0):
        return _triangle(name, m, k, lower)

    doc = f"Replaces what lies {where} a diagonal of matrices by zeros.\n\n{_TRIANGLE}"
    example = f">>> tf.experimental.numpy.{name}([[1, 2], [3, 4]]).numpy().tolist()\n{result}"
    return export_function(triangle, _SPACE + name, doc=doc, example=example)


tril = _part("tril", "above", True, [[1, 0], [3, 4]])
triu = _part("triu", "below", False, [[1, 2], [0, 4]])


@export(_SPACE + "vander")
def vander(x, N=None, increasing=False):
    """Creates a Vandermonde matrix: the powers of each number of a vector, as a row.

    Args:
      x: A vector.
      N: The number of powers; by default the length of `x`.
      increasing: Whether the powers increase from 0; otherwise the highest comes first.

    Returns:
      A tensor of the dtype of `x`, of shape `[len(x), N]`.

    Raises:
      ValueError: `x` is not a vector, or `N` is negative.

    >>> tf.experimental.numpy.vander([2, 3], 3).numpy().tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    x = asarray(x)
    if x.shape.rank not in (None, 1):
        raise ValueError("x must be a one-dimensional array")
    count = arrange.shape(x)[0] if N is None else N
    known = arrange.get_static_value(count)
    if known is not None and known < 0:
        raise ValueError("N must be nonnegative")
    powers = tensors.range(0, count) if increasing else tensors.range(count - 1, -1, -1)
    return m.pow(arrange.expand_dims(x, -1), m.cast(powers, x.dtype))
