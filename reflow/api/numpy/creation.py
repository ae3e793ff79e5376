"""`tf.experimental.numpy`: creation of tensors: constants, ranges, diagonals, grids."""

from __future__ import annotations

import builtins

import numpy as np

from reflow.api.array import arrange
from reflow.api.array import creation as tensors
from reflow.api.export import export
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


@export(_SPACE + "zeros")
def zeros(shape, dtype=float):
    """Zeros; float64 unless a dtype is given.

    >>> tf.experimental.numpy.zeros(2)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([0., 0.])>
    """
    return tensors.zeros(shape, _dtype(dtype))


@export(_SPACE + "ones")
def ones(shape, dtype=float):
    """Ones; float64 unless a dtype is given.

    >>> tf.experimental.numpy.ones(2).numpy().tolist()
    [1.0, 1.0]
    """
    return tensors.ones(shape, _dtype(dtype))


@export(_SPACE + "empty")
def empty(shape, dtype=float):
    """A tensor whose values do not matter: zeros.

    >>> arrays = tf.experimental.numpy
    >>> arrays.empty([2]).shape
    TensorShape([2])
    """
    return zeros(shape, dtype)


def _like_dtype(a, dtype):
    return result_type(dtype) if dtype else result_type(a)


@export(_SPACE + "zeros_like")
def zeros_like(a, dtype=None):
    """Zeros in the shape and the dtype of `a`.

    >>> tf.experimental.numpy.zeros_like([1, 2]).numpy().tolist()
    [0, 0]
    """
    return tensors.zeros_like(as_tensor(a), _like_dtype(a, dtype))


@export(_SPACE + "ones_like")
def ones_like(a, dtype=None):
    """Ones in the shape and the dtype of `a`.

    >>> tf.experimental.numpy.ones_like([1.5, 2.5]).numpy().tolist()
    [1.0, 1.0]
    """
    return tensors.ones_like(as_tensor(a), _like_dtype(a, dtype))


@export(_SPACE + "empty_like")
def empty_like(a, dtype=None):
    """A tensor in the shape of `a` whose values do not matter: zeros.

    >>> arrays = tf.experimental.numpy
    >>> arrays.empty_like([1, 2]).shape
    TensorShape([2])
    """
    return zeros_like(a, dtype)


@export(_SPACE + "full")
def full(shape, fill_value, dtype=None):
    """A tensor filled with one value, or with a value that is broadcast.

    >>> tf.experimental.numpy.full([2, 2], 7).numpy().tolist()
    [[7, 7], [7, 7]]
    """
    sizes = arrange.reshape(convert_to_tensor(shape, dtype_hint=dtypes.int32), [-1])
    return arrange.broadcast_to(asarray(fill_value, dtype), sizes)


@export(_SPACE + "full_like")
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """A tensor in the shape of `a`, filled with one value.

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
    """`array` repeated to fill a shape.

    >>> tf.experimental.numpy.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return full(shape, array)


@export(_SPACE + "eye")
def eye(N, M=None, k=0, dtype=float):
    """A matrix with ones on diagonal `k` and zeros elsewhere.

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
    """The unit matrix.

    >>> tf.experimental.numpy.identity(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return eye(n, n, dtype=dtype)


@export(_SPACE + "arange")
def arange(start, stop=None, step=1, dtype=None):
    """Numbers from `start` to before `stop`, `step` apart; from 0 to `start` if there is no `stop`.

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
    """`num` numbers at equal distances from `start` to `stop`.

    Args:
      endpoint: whether `stop` is the last of them.
      retstep: whether the distance is returned too.
      dtype: a true value; the result has the dtype of `start` and `stop` as floating point numbers.
      axis: the new axis along which the numbers lie.

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
    """Powers of `base` with exponents at equal distances from `start` to `stop`.

    >>> tf.experimental.numpy.logspace(0, 2, 3).numpy().tolist()
    [1.0, 10.0, 100.0]
    """
    exponents = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    result = m.pow(as_tensor(base, exponents.dtype), exponents)
    return m.cast(result, dtype) if dtype else result


@export(_SPACE + "geomspace")
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers from `start` to `stop`, each a constant multiple of the one before.

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
    """Coordinates of a grid from those of its axes; `indexing` is "xy" or "ij".

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]
    """
    sparse, copies = kwargs.get("sparse", False), kwargs.get("copy", True)
    if sparse:
        raise ValueError(f"Function `meshgrid` does not support returning sparse arrays yet. Received: sparse={sparse}")
    if not copies:
        raise ValueError(f"Function `meshgrid` only supports copy=True. Received: copy={copies}")
    return tensors.meshgrid(*(asarray(x) for x in xi), indexing=kwargs.get("indexing", "xy"))


# --- diagonals and triangles -------------------------------------------------------------------------------------------


@export(_SPACE + "diag")
def diag(v, k=0):
    """A matrix with the vector `v` on diagonal `k`, or that diagonal of the matrix `v`.

    >>> tf.experimental.numpy.diag([1, 2], 1).numpy().tolist(), tf.experimental.numpy.diag([[1, 2], [3, 4]]).numpy().tolist()
    ([[0, 1, 0], [0, 0, 2], [0, 0, 0]], [1, 4])
    """
    v = asarray(v)
    if v.shape.rank not in (1, 2):
        raise ValueError(f"Argument `v` must have one or two axes. Received: {v}")
    if v.shape.rank == 2:
        return diagonal(v, k)
    return zeros([builtins.abs(k)] * 2, v.dtype) if v.shape[0] == 0 else diagonals.diag(v, k=k)


@export(_SPACE + "diagflat")
def diagflat(v, k=0):
    """A matrix with all elements of `v` on diagonal `k`.

    >>> tf.experimental.numpy.diagflat([[1, 2]]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return diag(arrange.reshape(asarray(v), [-1]), k)


@export(_SPACE + "diagonal")
def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonal `offset` of the matrices in two axes.

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
    """The indices of the main diagonal of a tensor with `ndim` axes of size `n`.

    >>> [i.numpy().tolist() for i in tf.experimental.numpy.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    for name, value in (("n", n), ("ndim", ndim)):
        if value < 0:
            raise ValueError(f"{name} argument to diag_indices must be nonnegative, got {value}")
    return (tensors.range(n),) * ndim


@export(_SPACE + "tri")
def tri(N, M=None, k=0, dtype=None):
    """A matrix with ones on and below diagonal `k`.

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


@export(_SPACE + "tril")
def tril(m, k=0):
    """Matrices with zeros above diagonal `k`.

    >>> tf.experimental.numpy.tril([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    return _triangle("tril", m, k, lower=True)


@export(_SPACE + "triu")
def triu(m, k=0):
    """Matrices with zeros below diagonal `k`.

    >>> tf.experimental.numpy.triu([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [0, 4]]
    """
    return _triangle("triu", m, k, lower=False)


@export(_SPACE + "vander")
def vander(x, N=None, increasing=False):
    """The powers of each number of a vector, as a row; the highest first unless `increasing`.

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
