"""`tf.experimental.numpy`: elements by index, by mask, by condition; NumPy's indexing of tensors."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, indexing
from reflow.api.array import creation as tensors
from reflow.api.export import export
from reflow.api.math import arithmetic as m
from reflow.api.math.clip import clip_by_value
from reflow.api.numpy.arrays import asarray, atleast_1d, promoted, whole_axis
from reflow.api.numpy.shaping import broadcast, moveaxis, ravel, reshape
from reflow.core import dtypes
from reflow.core.tensor import Tensor, TensorBase
from reflow.eager.variables import Variable

_SPACE = "experimental.numpy."


@export(_SPACE + "take")
def take(a, indices, axis=None, out=None, mode="clip"):
    """Picks elements by index along an axis.

    Args:
      a: A tensor or an array-like value.
      indices: Integers of any shape.
      axis: The axis that the indices refer to; by default `a` is treated as a vector.
      out: Must be None.
      mode: What happens to an index out of range: "clip" moves it to the nearest end, so that negative ones become 0;
        "wrap" counts around.

    Returns:
      A tensor of the dtype of `a`, of shape `a.shape[:axis] + indices.shape + a.shape[axis + 1:]`.

    Raises:
      ValueError: `out` is given, or the mode is another one; "raise" is not supported.

    >>> tf.experimental.numpy.take([1, 2, 3], [0, 4], mode="wrap").numpy().tolist()
    [1, 2]
    """
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    if mode == "raise":
        raise ValueError("The 'raise' mode to take is not supported.")
    a, indices = asarray(a), asarray(indices)
    if axis is None:
        a, axis = ravel(a), 0
    size = arrange.shape(a, out_type=indices.dtype)[axis]
    indices = clip_by_value(indices, 0, size - 1) if mode == "clip" else m.floormod(indices, size)
    return indexing.gather(a, indices, axis=axis)


@export(_SPACE + "take_along_axis")
def take_along_axis(arr, indices, axis):
    """Picks, for each index, the element at the same position along the other axes.

    Args:
      arr: A tensor or an array-like value.
      indices: Integers of the rank of `arr`; the other axes are broadcast. Negative ones count from the end.
      axis: The axis that the indices refer to; None treats `arr` as a vector.

    Returns:
      A tensor of the dtype of `arr`, in the shape of `indices` once the other axes are broadcast.

    Raises:
      InvalidArgumentError: An index is out of range.

    >>> tf.experimental.numpy.take_along_axis([[1, 2], [3, 4]], [[1], [0]], 1).numpy().tolist()
    [[2], [3]]
    """
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = whole_axis(axis, arr)
    arr, indices = (moveaxis(x, axis, -1) for x in (arr, indices))
    shapes = [arrange.shape(x) for x in (arr, indices)]
    batch = arrange.broadcast_dynamic_shape(*(s[:-1] for s in shapes))
    arr, indices = (
        arrange.broadcast_to(x, arrange.concat([batch, s[-1:]], 0)) for x, s in zip((arr, indices), shapes, strict=True)
    )
    size = arrange.shape(arr, out_type=indices.dtype)[-1]
    indices = m.where(indices < 0, indices + size, indices)
    rows, places = (arrange.reshape(x, arrange.stack([-1, arrange.shape(x)[-1]])) for x in (arr, indices))
    taken = arrange.reshape(indexing.gather(rows, places, batch_dims=1), arrange.shape(indices))
    return moveaxis(taken, -1, axis)


@export(_SPACE + "where")
def where(condition, x=None, y=None):
    """Takes elements from `x` where a condition holds and from `y` elsewhere, or finds where it holds.

    Args:
      condition: Booleans, or numbers, which are true if they are not 0.
      x: The values where the condition holds.
      y: The values where it does not; given if and only if `x` is.

    Returns:
      A tensor of the common dtype of `x` and `y`, of the shape to which all three are broadcast; without `x` and `y`
      the same as `nonzero`.

    Raises:
      ValueError: Only one of `x` and `y` is given.

    >>> tf.experimental.numpy.where([True, False], 1, 2.5).numpy().tolist()
    [1.0, 2.5]
    """
    condition = asarray(condition, np.bool_)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return m.where(condition, *promoted(x, y))


@export(_SPACE + "select")
def select(condlist, choicelist, default=0):
    """Takes each element from the choice of the first condition that holds there.

    Args:
      condlist: Boolean tensors or array-like values.
      choicelist: As many tensors or array-like values.
      default: The value where no condition holds.

    Returns:
      A tensor of the common dtype of the choices and the default, of the shape to which all are broadcast.

    Raises:
      ValueError: The lists are empty or differ in length.

    >>> tf.experimental.numpy.select([[True, False], [True, True]], [[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    if len(condlist) != len(choicelist):
        raise ValueError(f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})")
    if not condlist:
        raise ValueError("condlist must be non-empty")
    result, *choices = promoted(default, *choicelist)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = where(condition, choice, result)
    return result


@export(_SPACE + "nonzero")
def nonzero(a):
    """Finds the elements that are not zero.

    Args:
      a: A tensor or an array-like value of known rank; a scalar is treated as a vector.

    Returns:
      A list with an int64 vector of indices for each axis.

    Raises:
      ValueError: The rank of `a` is unknown.

    >>> [i.numpy().tolist() for i in tf.experimental.numpy.nonzero([[0, 1], [2, 0]])]
    [[0, 1], [1, 0]]
    """
    a = atleast_1d(a)
    if a.shape.rank is None:
        raise ValueError("The rank of `a` is unknown, so we can't decide how many arrays to return.")
    return arrange.unstack(m.where(m.cast(a, dtypes.bool_)), a.shape.rank, axis=1)


@export(_SPACE + "compress")
def compress(condition, a, axis=None):
    """Keeps the slices along an axis for which a condition holds.

    Args:
      condition: A boolean vector, at most as long as the axis; slices beyond its end are left out.
      a: A tensor or an array-like value.
      axis: The axis of the slices; by default `a` is treated as a vector.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      ValueError: The condition is not a vector, or is longer than the axis.

    >>> tf.experimental.numpy.compress([False, True], [1, 2, 3]).numpy().tolist()
    [2]
    """
    condition, a = asarray(condition, np.bool_), asarray(a)
    if condition.shape.rank != 1:
        raise ValueError("condition must be a 1-d array.")
    if axis is None or a.shape.rank == 0:
        a, axis = ravel(a), 0
    axis = whole_axis(axis, a)
    missing = arrange.shape(a)[axis] - arrange.shape(condition)[0]
    condition = arrange.pad(condition, [[0, m.maximum(missing, 0)]], constant_values=False)
    return indexing.boolean_mask(a, condition, axis=axis)


@export(_SPACE + "ix_")
def ix_(*args):
    """Shapes index vectors so that together they index a grid: each lies along its own axis.

    Args:
      *args: Vectors of integers or booleans; of booleans the indices of the true ones are used.

    Returns:
      A list of integer tensors with as many axes as there are arguments; the i-th has size 1 along all axes but the
      i-th.

    Raises:
      ValueError: An argument is not a vector, or contains neither integers nor booleans.

    >>> [i.numpy().tolist() for i in tf.experimental.numpy.ix_([0, 1], [2])]
    [[[0], [1]], [[2]]]
    """
    found = []
    for i, given in enumerate(args):
        a = asarray(given)
        if a.shape.rank not in (None, 1):
            raise ValueError(f"Arguments must be 1-d, got arg {i} of rank {a.shape.rank}")
        if a.dtype is dtypes.bool_:
            a = nonzero(a)[0]
        elif not a.dtype.is_integer:
            raise ValueError(f"Only integer and bool dtypes are supported, got {a.dtype}")
        found.append(arrange.reshape(a, [-1 if axis == i else 1 for axis in range(len(args))]))
    return found


# --- tensor[key] as in NumPy ------------------------------------------------------------------------------------------


_SPECIAL = (None, Ellipsis)


def _is_array(key) -> bool:
    """Whether a part of a key is an array of indices or a mask, no scalar."""
    if isinstance(key, (TensorBase, Variable, np.ndarray)):
        return key.shape != ()
    return isinstance(key, (list, tuple))


def _keys(key) -> tuple:
    """A key as a tuple of its parts: a list of numbers is one array."""
    if isinstance(key, tuple):
        return key
    if isinstance(key, list) and any(_is_array(part) or part in _SPECIAL or isinstance(part, slice) for part in key):
        return tuple(key)
    return (key,)


def _indices(key) -> Tensor:
    """An array of a key as integers."""
    data = asarray(key)
    if data.dtype is dtypes.bool_:
        if data.shape.rank != 1:
            raise NotImplementedError(f"Need rank 1 for bool index {key}")
        return arrange.reshape(m.where(data), [-1])
    if not data.dtype.is_integer:
        raise _refused(key)
    return m.cast(data, dtypes.int64)


def _refused(key) -> IndexError:
    return IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
        f"valid indices, got {key!r}"
    )


def _is_mask(key) -> bool:
    return getattr(key, "dtype", None) in (np.bool_, dtypes.bool_) and not isinstance(key, np.bool_)


def numpy_getitem(tensor, key):
    """`tensor[key]` with NumPy's rules: arrays of indices choose elements, and their shape becomes part of the
    result's.

    >>> x = tf.constant([[1, 2], [3, 4]])
    >>> numpy_getitem(x, ([0, 1], [1, 0])).numpy().tolist()
    [2, 3]
    """
    if _is_mask(key):
        return indexing.boolean_mask(tensor, key)
    keys = _keys(key)
    for part in keys:
        if isinstance(part, (str, bytes, float)):
            raise _refused(part)
    if not any(_is_array(part) for part in keys):
        return indexing.getitem(tensor, keys)
    plain = indexing.getitem(tensor, tuple(slice(None) if _is_array(part) else part for part in keys))
    axes, arrays = _array_axes(keys, plain.shape.rank)
    arrays = broadcast(*map(_indices, arrays))
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    front = moveaxis(plain, axes, list(range(len(axes))))
    sizes = arrange.shape(front, out_type=dtypes.int64)[: len(axes)]
    places = arrange.stack(arrays, -1)
    taken = indexing.gather_nd(front, m.where(places < 0, places + sizes, places))
    if not together or axes[0] == 0:
        return taken
    new = arrays[0].shape.rank
    return moveaxis(taken, list(range(new)), list(range(axes[0], axes[0] + new)))


def _array_axes(keys: tuple, rank: int | None) -> tuple[list[int], list]:
    """The axes of the plainly sliced tensor that arrays index, and the arrays."""
    axes, arrays, place = [], [], 0
    for i, part in enumerate(keys):
        if part is Ellipsis:
            if rank is None:
                raise ValueError("An ellipsis beside an array of indices needs a tensor of known rank.")
            place = rank - sum(_kept(later) for later in keys[i + 1 :])
        else:
            if _is_array(part):
                axes.append(place)
                arrays.append(part)
            place += _kept(part)
    return axes, arrays


def _kept(part) -> int:
    """The number of result axes that a part of a key represents."""
    return int(part is None or isinstance(part, slice) or _is_array(part))


def _changed(scatter):
    """A method that returns the tensor with other elements at `key`; `scatter` combines the old with the new."""

    def method(a, key, updates):
        if _is_mask(key):
            key = tuple(nonzero(key))
        dtype = a.dtype
        a, updates = promoted(a, updates)
        shape = arrange.shape(a)
        # where each chosen element stands, by choosing from the numbers of the places
        places = numpy_getitem(arrange.reshape(tensors.range(arrange.size(a)), shape), key)
        updates = ravel(arrange.broadcast_to(updates, arrange.shape(places)))
        changed = scatter(ravel(a), reshape(places, [-1, 1]), updates)
        return m.cast(arrange.reshape(changed, shape), dtype)

    return method


with_index_update = _changed(indexing.tensor_scatter_nd_update)
with_index_add = _changed(indexing.tensor_scatter_nd_add)
with_index_min = _changed(indexing.tensor_scatter_nd_min)
with_index_max = _changed(indexing.tensor_scatter_nd_max)
