"""`tf.experimental.numpy`: shapes, axes, and the order of elements."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange
from reflow.api.array import creation as tensors
from reflow.api.array import indexing as tensor_indexing
from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.numpy.arrays import array, asarray, rank_of, whole_axis
from reflow.core import dtypes
from reflow.core.tensor import Tensor

_SPACE = "experimental.numpy."


@export(_SPACE + "reshape")
def reshape(a, newshape, order="C"):
    """Puts the elements of a tensor into another shape.

    Args:
      a: A tensor or an array-like value.
      newshape: The shape, an int or a sequence of them; one may be -1 and is computed.
      order: Whether elements are read and written by rows, "C", or by columns, "F".

    Returns:
      A tensor of the new shape, of the dtype of `a`.

    Raises:
      ValueError: `order` is another one.
      InvalidArgumentError: The shape has another number of elements.

    >>> tf.experimental.numpy.reshape([1, 2, 3, 4], [2, 2], order="F").numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    a = asarray(a)
    newshape = [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return arrange.reshape(a, newshape)
    return arrange.transpose(arrange.reshape(arrange.transpose(a), newshape[::-1]))


@export(_SPACE + "ravel")
def ravel(a):
    """Puts all elements of a tensor into a vector, row by row.

    Args:
      a: A tensor or an array-like value.

    Returns:
      A vector of the dtype of `a`.

    >>> tf.experimental.numpy.ravel([[1, 2], [3, 4]]).numpy().tolist()
    [1, 2, 3, 4]
    """
    return arrange.reshape(asarray(a), [-1])


@export(_SPACE + "flatten")
def flatten(a, order="C"):
    """Puts all elements of a tensor into a vector.

    Args:
      a: A tensor or an array-like value.
      order: Whether elements are read by rows, "C", "A" or "K", or by columns, "F".

    Returns:
      A vector of the dtype of `a`.

    Raises:
      ValueError: `order` is another one.

    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]], order="F").numpy().tolist()
    [1, 3, 2, 4]
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    a = asarray(a)
    return arrange.reshape(arrange.transpose(a) if order == "F" else a, [-1])


@export(_SPACE + "expand_dims")
def expand_dims(a, axis):
    """Adds an axis of size 1.

    Args:
      a: A tensor or an array-like value.
      axis: The position of the new axis in the result.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      InvalidArgumentError: The axis is out of range.

    >>> tf.experimental.numpy.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    return arrange.expand_dims(asarray(a), axis)


@export(_SPACE + "squeeze")
def squeeze(a, axis=None):
    """Removes axes of size 1.

    Args:
      a: A tensor or an array-like value.
      axis: The axis or axes to remove; by default all of size 1.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      InvalidArgumentError: An axis to remove has another size.

    >>> tf.experimental.numpy.squeeze([[1, 2]]).numpy().tolist()
    [1, 2]
    """
    return arrange.squeeze(asarray(a), axis)


@export(_SPACE + "transpose")
def transpose(a, axes=None):
    """Puts the axes into another order.

    Args:
      a: A tensor or an array-like value.
      axes: For each axis of the result the axis of `a`; reversed by default.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      InvalidArgumentError: `axes` is not a permutation of the axes.

    >>> tf.experimental.numpy.transpose([[1, 2]]).numpy().tolist()
    [[1], [2]]
    """
    return arrange.transpose(asarray(a), None if axes is None else asarray(axes))


@export(_SPACE + "swapaxes")
def swapaxes(a, axis1, axis2):
    """Exchanges two axes.

    Args:
      a: A tensor or an array-like value.
      axis1: One axis.
      axis2: The other axis.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.swapaxes([[1, 2]], 0, 1).shape
    TensorShape([2, 1])
    """
    return moveaxis(a, (axis1, axis2), (axis2, axis1))


@export(_SPACE + "moveaxis")
def moveaxis(a, source, destination):
    """Moves axes to other positions; the others keep their order.

    Args:
      a: A tensor or an array-like value.
      source: The axis or axes that move.
      destination: For each of them its position in the result.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      ValueError: `source` and `destination` differ in length.

    >>> tf.experimental.numpy.moveaxis(tf.zeros([2, 3, 4]), 0, -1).shape
    TensorShape([3, 4, 2])
    """
    a = asarray(a)
    source, destination = ([x] if isinstance(x, int) or not np.ndim(x) else list(x) for x in (source, destination))
    if len(source) != len(destination):
        raise ValueError("The lengths of source and destination must equal")
    if not source:
        return a
    source, destination = ([whole_axis(axis, a) for axis in axes] for axes in (source, destination))
    if a.shape.rank is None or any(isinstance(axis, Tensor) for axis in (*source, *destination)):
        return arrange.transpose(a, _permutation(arrange.rank(a), source, destination))
    order = [axis for axis in range(a.shape.rank) if axis not in source]
    for place, axis in sorted(zip(destination, source, strict=True)):
        order.insert(place, axis)
    return arrange.transpose(a, order)


def _permutation(rank, source, destination):
    """The order of axes when they are known only at run time: those that move, and the others at the free places."""
    axes = tensors.range(rank)
    moved, places = arrange.stack(source), arrange.stack(destination)
    others, free = (call("ListDiff", (axes, x), {"out_idx": dtypes.int32})[0] for x in (moved, places))
    places, moved = arrange.concat([places, free], 0), arrange.concat([moved, others], 0)
    return tensor_indexing.scatter_nd(places[:, None], moved, arrange.reshape(rank, [1]))


@export(_SPACE + "broadcast_arrays")
def broadcast_arrays(*args, **kwargs):
    """Repeats tensors to fill one common shape.

    Args:
      *args: Tensors or array-like values.
      **kwargs: `subok` may be given as False, and nothing else.

    Returns:
      A list of tensors, each of its own dtype.

    Raises:
      ValueError: Another keyword argument is given.
      InvalidArgumentError: The shapes cannot be broadcast together.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.broadcast_arrays([1], [1, 2])]
    [[1, 1], [1, 2]]
    """
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {kwargs.keys()}")
    return broadcast(*(asarray(a) for a in args))


def broadcast(*tensors_) -> list:
    """Tensors repeated to one shape."""
    shape = arrange.shape(tensors_[0])
    for x in tensors_[1:]:
        shape = arrange.broadcast_dynamic_shape(shape, arrange.shape(x))
    return [arrange.broadcast_to(x, shape) for x in tensors_]


# --- order of elements ------------------------------------------------------------------------------------------------


@export(_SPACE + "flip")
def flip(m, axis=None):
    """Reverses the order of elements along one axis, or along all.

    Args:
      m: A tensor or an array-like value.
      axis: One axis; all by default.

    Returns:
      A tensor of the shape and dtype of `m`.

    Raises:
      InvalidArgumentError: The axis is out of range.

    >>> tf.experimental.numpy.flip([1, 2, 3]).numpy().tolist()
    [3, 2, 1]
    """
    x = asarray(m)
    return arrange.reverse(x, tensors.range(rank_of(x)) if axis is None else [whole_axis(axis, x)])


_FLIPPED = """\
Args:
  m: A tensor or an array-like value of at least {least}.

Returns:
  A tensor of the shape and dtype of `m`.

Raises:
  InvalidArgumentError: `m` {otherwise}.
"""


@export(_SPACE + "flipud")
@with_sections(_FLIPPED, least="one axis", otherwise="is a scalar")
def flipud(m):
    """Reverses the order of the rows.

    >>> tf.experimental.numpy.flipud([[1], [2]]).numpy().tolist()
    [[2], [1]]
    """
    return flip(m, 0)


@export(_SPACE + "fliplr")
@with_sections(_FLIPPED, least="two axes", otherwise="has fewer than two axes")
def fliplr(m):
    """Reverses the order of the columns.

    >>> tf.experimental.numpy.fliplr([[1, 2]]).numpy().tolist()
    [[2, 1]]
    """
    return flip(m, 1)


@export(_SPACE + "roll")
def roll(a, shift, axis=None):
    """Moves elements along an axis; those that fall out come in at the other end.

    Args:
      a: A tensor or an array-like value.
      shift: How far they move, or a sequence with a number for each axis.
      axis: The axis, or a sequence of them; by default `a` is rolled as a vector.

    Returns:
      A tensor of the shape and dtype of `a`.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy().tolist()
    [3, 1, 2]
    """
    a = asarray(a)
    if axis is not None:
        return arrange.roll(a, shift, axis)
    return arrange.reshape(arrange.roll(arrange.reshape(a, [-1]), shift, 0), arrange.shape(a))


@export(_SPACE + "rot90")
def rot90(m, k=1, axes=(0, 1)):
    """Turns a tensor by 90 degrees in the plane of two axes.

    Args:
      m: A tensor or an array-like value of at least two axes.
      k: How many times; a negative number turns from the second axis towards the first.
      axes: The two axes.

    Returns:
      A tensor of the dtype of `m`.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.rot90([[1, 2], [3, 4]]).numpy().tolist()
    [[2, 4], [1, 3]]
    """
    x = asarray(m)
    first, second = axes
    k = k % 4
    if k == 0:
        return x
    if k == 2:
        return flip(flip(x, first), second)
    if k == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


@export(_SPACE + "tile")
def tile(a, reps):
    """Repeats a tensor along its axes.

    Args:
      a: A tensor or an array-like value.
      reps: How often along each axis; the shorter of `reps` and the shape of `a` is filled up with ones in front.

    Returns:
      A tensor of the dtype of `a`.

    >>> tf.experimental.numpy.tile([1, 2], [2, 2]).numpy().tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    a, reps = array(a), arrange.reshape(array(reps, dtype=dtypes.int32), [-1])
    axes, count = rank_of(a), arrange.size(reps)
    reps = arrange.pad(reps, [[m.maximum(axes - count, 0), 0]], constant_values=1)
    shape = arrange.pad(arrange.shape(a), [[m.maximum(count - axes, 0), 0]], constant_values=1)
    return arrange.tile(arrange.reshape(a, shape), reps)


@export(_SPACE + "repeat")
def repeat(a, repeats, axis=None):
    """Repeats each element, or each slice along an axis.

    Args:
      a: A tensor or an array-like value.
      repeats: How often: an int, or a vector with one for each element or slice.
      axis: The axis of the slices; by default `a` is treated as a vector.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      ValueError: `repeats` has another length than the axis.

    >>> tf.experimental.numpy.repeat([1, 2], 2).numpy().tolist()
    [1, 1, 2, 2]
    """
    return tensors.repeat(asarray(a), asarray(repeats), axis)


@export(_SPACE + "pad")
def pad(array, pad_width, mode, **kwargs):
    """Adds elements before and after each axis.

    Args:
      array: A tensor or an array-like value.
      pad_width: A matrix with a row for each axis: how many elements come before and after.
      mode: "constant", or to mirror the tensor "reflect", without its outermost elements, or "symmetric", with them.
      **kwargs: `constant_values`: the value of the new elements in mode "constant", 0 by default.

    Returns:
      A tensor of the dtype of `array`.

    Raises:
      ValueError: The mode is another one.
      InvalidArgumentError: `pad_width` has another shape, or there are too few elements to mirror.

    >>> tf.experimental.numpy.pad([1, 2], [[1, 1]], "reflect").numpy().tolist()
    [2, 1, 2, 1]
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    widths = asarray(pad_width, dtypes.int32)
    return arrange.pad(asarray(array), widths, mode.upper(), kwargs.get("constant_values", 0))
