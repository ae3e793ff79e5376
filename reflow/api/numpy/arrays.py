"""`tf.experimental.numpy`: converts values to tensors, and tensors to a common dtype.

A value that is not a tensor yet gets NumPy's dtype: `asarray(1.5)` is float64. Arguments of a binary function are
converted to their common dtype first (`promoted`).
"""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.numpy.types import default_float, result_type
from reflow.core import dtypes, nest
from reflow.core.tensor import Tensor
from reflow.ops.convert import convert_to_tensor

_SPACE = "experimental.numpy."
_MOST_AXES = 32


def as_tensor(value, dtype=None) -> Tensor:
    """A value as a tensor, of the given dtype if there is one."""
    if isinstance(value, Tensor):
        return value if dtype is None else m.cast(value, dtype)
    if dtype is None and any(isinstance(leaf, (str, bytes)) for leaf in nest.flatten(value)):
        return convert_to_tensor(value)  # "i" is a string here, where `result_type` takes it for a dtype
    dtype = result_type(value) if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, float):
        value = np.asarray(value, default_float())
    elif isinstance(value, int) and not isinstance(value, bool) and dtype.kind in "iu":
        return convert_to_tensor(value, dtype)
    return m.cast(convert_to_tensor(value, dtype_hint=dtype), dtype)


def promoted(*values) -> list[Tensor]:
    """Values as tensors of their common dtype."""
    dtype = result_type(*values)
    return [as_tensor(value, dtype) for value in values]


def floating(value) -> Tensor:
    """A value as a tensor of floating point or complex numbers."""
    x = as_tensor(value)
    return x if x.dtype.kind in "fc" else m.cast(x, result_type(float))


def rank_of(x):
    """The number of axes: an int if it is known, else a tensor."""
    return arrange.rank(x) if x.shape.rank is None else x.shape.rank


def whole_axis(axis, x):
    """An axis counted from the front."""
    return axis + rank_of(x) if axis < 0 else axis


@export(_SPACE + "array")
def array(val, dtype=None, copy=True, ndmin=0):
    """Converts a value to a tensor, with the dtype that NumPy chooses.

    Args:
      val: A tensor, an array, a number, or a nested list of them.
      dtype: The dtype of the result; by default that of `val`.
      copy: Whether a tensor comes back as a new one.
      ndmin: The least number of axes, at most 32; axes of size 1 are put in front.

    Returns:
      A tensor with the values of `val`; Python integers are int64, Python floats float64.

    Raises:
      ValueError: `ndmin` is greater than 32.

    >>> tf.experimental.numpy.array([1, 2], ndmin=2)
    <tf.Tensor: shape=(1, 2), dtype=int64, numpy=array([[1, 2]])>
    """
    x = as_tensor(val, None if not dtype else result_type(dtype))
    if copy:
        x = arrange.identity(x)
    if ndmin > _MOST_AXES:
        raise ValueError(f"ndmin bigger than allowable number of dimensions: {_MOST_AXES}.")
    return _with_axes(x, ndmin)


def _with_axes(x, count: int):
    """A tensor with at least this many axes; new ones of size 1 come first."""
    if x.shape.rank is not None:
        missing = count - x.shape.rank
        return x if missing <= 0 else arrange.reshape(x, arrange.concat([[1] * missing, arrange.shape(x)], 0))
    missing = m.maximum(count - arrange.rank(x), 0)
    return arrange.reshape(x, arrange.pad(arrange.shape(x), [[missing, 0]], constant_values=1))


_VALUES = """\
Args:
  a: A tensor, an array, a number, or a nested list of them.
  dtype: The dtype of the result; by default that of `a`.

Returns:
  A tensor with the values of `a`{but}.
"""


@export(_SPACE + "asarray")
@with_sections(_VALUES, but="; Python integers are int64, Python floats float64")
def asarray(a, dtype=None):
    """Converts a value to a tensor; a tensor of the wanted dtype comes back as it is.

    >>> tf.experimental.numpy.asarray(1.5).dtype
    tf.float64
    """
    return as_tensor(a, None if not dtype else result_type(dtype))


@export(_SPACE + "asanyarray")
@with_sections(_VALUES, but="")
def asanyarray(a, dtype=None):
    """The same as `asarray`.

    >>> tf.experimental.numpy.asanyarray([1]).numpy().tolist()
    [1]
    """
    return asarray(a, dtype)


@export(_SPACE + "ascontiguousarray")
@with_sections(_VALUES, but="; a scalar becomes a vector of one element")
def ascontiguousarray(a, dtype=None):
    """Converts a value to a tensor of at least one axis.

    >>> tf.experimental.numpy.ascontiguousarray(3).shape
    TensorShape([1])
    """
    return array(a, dtype, ndmin=1)


@export(_SPACE + "copy")
def copy(a):
    """Returns a new tensor with the values of `a`.

    Args:
      a: A tensor or an array-like value.

    Returns:
      A tensor of the shape and dtype of `a`.

    >>> tf.experimental.numpy.copy([1, 2]).numpy().tolist()
    [1, 2]
    """
    return array(a, copy=True)


def _at_least(count: int, arrays):
    found = [_with_axes(asarray(a), count) for a in arrays]
    return found[0] if len(found) == 1 else found


_AT_LEAST = """\
Args:
  *arys: Tensors or array-like values{kind}.

Returns:
  A tensor if there is one argument, else a list of tensors.
"""


@export(_SPACE + "atleast_1d")
@with_sections(_AT_LEAST, kind="")
def atleast_1d(*arys):
    """Gives each argument at least one axis.

    >>> tf.experimental.numpy.atleast_1d(3).numpy().tolist()
    [3]
    """
    return _at_least(1, arys)


@export(_SPACE + "atleast_2d")
@with_sections(_AT_LEAST, kind="")
def atleast_2d(*arys):
    """Gives each argument at least two axes; new ones come first.

    >>> tf.experimental.numpy.atleast_2d([1, 2]).shape
    TensorShape([1, 2])
    """
    return _at_least(2, arys)


@export(_SPACE + "atleast_3d")
@with_sections(_AT_LEAST, kind=" of known rank")
def atleast_3d(*arys):
    """Gives each argument at least three axes; a vector becomes the middle axis, a matrix the first two.

    Raises:
      ValueError: The rank of an argument is unknown.

    >>> tf.experimental.numpy.atleast_3d([1, 2]).shape
    TensorShape([1, 2, 1])
    """
    found = []
    for a in arys:
        x = asarray(a)
        if x.shape.rank is None:
            raise ValueError("The rank of an argument of `atleast_3d` must be known.")
        key = {0: (None,) * 3, 1: (None, Ellipsis, None), 2: (Ellipsis, None)}.get(x.shape.rank)
        found.append(x if key is None else x[key])
    return found[0] if len(found) == 1 else found


@export(_SPACE + "shape")
def shape(a):
    """Returns the shape of a tensor or a nested list.

    Args:
      a: A tensor or an array-like value.

    Returns:
      A `tf.TensorShape`.

    >>> tf.experimental.numpy.shape([[1, 2]])
    TensorShape([1, 2])
    """
    return asarray(a).shape


@export(_SPACE + "ndim")
def ndim(a):
    """Returns the number of axes.

    Args:
      a: A tensor or an array-like value.

    Returns:
      An int, or None if the rank is unknown.

    >>> tf.experimental.numpy.ndim([[1, 2]])
    2
    """
    return asarray(a).shape.rank


@export(_SPACE + "isscalar")
def isscalar(num):
    """Says whether a value has no axes.

    Args:
      num: A tensor or an array-like value.

    Returns:
      A bool.

    >>> tf.experimental.numpy.isscalar(3), tf.experimental.numpy.isscalar([3])
    (True, False)
    """
    return ndim(num) == 0


@export(_SPACE + "size")
def size(x, axis=None):
    """Returns the number of elements.

    Args:
      x: A tensor or an array-like value.
      axis: Must be None.

    Returns:
      An int if the shape is known, else a scalar int32 tensor.

    Raises:
      NotImplementedError: `axis` is given.

    >>> int(tf.experimental.numpy.size([[1, 2]]))
    2
    """
    if axis is not None:
        raise NotImplementedError("axis argument is not supported in the current `np.size` implementation")
    x = asarray(x)
    known = x.shape.num_elements()
    return arrange.size(x) if known is None else known
