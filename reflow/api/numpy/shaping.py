"""`tf.experimental.numpy`: shapes, axes, joining and splitting."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange
from reflow.api.array import creation as tensors
from reflow.api.array import indexing as tensor_indexing
from reflow.api.call import call
from reflow.api.export import export, export_function
from reflow.api.math import arithmetic as m
from reflow.api.numpy.arrays import array, asarray, atleast_1d, atleast_2d, atleast_3d, promoted, rank_of, whole_axis
from reflow.core import dtypes
from reflow.core.tensor import Tensor

_SPACE = "experimental.numpy."


@export(_SPACE + "reshape")
def reshape(a, newshape, order="C"):
    """The same elements in another shape, read and written by rows ("C") or by columns ("F").

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
    """All elements as a vector.

    >>> tf.experimental.numpy.ravel([[1, 2], [3, 4]]).numpy().tolist()
    [1, 2, 3, 4]
    """
    return arrange.reshape(asarray(a), [-1])


@export(_SPACE + "flatten")
def flatten(a, order="C"):
    """All elements as a vector, by rows ("C", "A", "K") or by columns ("F").

    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]], order="F").numpy().tolist()
    [1, 3, 2, 4]
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    a = asarray(a)
    return arrange.reshape(arrange.transpose(a) if order == "F" else a, [-1])


@export(_SPACE + "expand_dims")
def expand_dims(a, axis):
    """A new axis of size 1.

    >>> tf.experimental.numpy.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    return arrange.expand_dims(asarray(a), axis)


@export(_SPACE + "squeeze")
def squeeze(a, axis=None):
    """Without the axes of size 1, or without those named.

    >>> tf.experimental.numpy.squeeze([[1, 2]]).numpy().tolist()
    [1, 2]
    """
    return arrange.squeeze(asarray(a), axis)


@export(_SPACE + "transpose")
def transpose(a, axes=None):
    """The axes in another order; reversed if none is given.

    >>> tf.experimental.numpy.transpose([[1, 2]]).numpy().tolist()
    [[1], [2]]
    """
    return arrange.transpose(asarray(a), None if axes is None else asarray(axes))


@export(_SPACE + "swapaxes")
def swapaxes(a, axis1, axis2):
    """Two axes exchanged.

    >>> tf.experimental.numpy.swapaxes([[1, 2]], 0, 1).shape
    TensorShape([2, 1])
    """
    return moveaxis(a, (axis1, axis2), (axis2, axis1))


@export(_SPACE + "moveaxis")
def moveaxis(a, source, destination):
    """Axes at other places; the others keep their order.

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
    """Tensors repeated to one shape.

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


# --- order of elements -------------------------------------------------------------------------------------------------


@export(_SPACE + "flip")
def flip(m, axis=None):
    """The elements along an axis, or along all, in reverse order.

    >>> tf.experimental.numpy.flip([1, 2, 3]).numpy().tolist()
    [3, 2, 1]
    """
    x = asarray(m)
    return arrange.reverse(x, tensors.range(rank_of(x)) if axis is None else [whole_axis(axis, x)])


@export(_SPACE + "flipud")
def flipud(m):
    """The rows in reverse order.

    >>> tf.experimental.numpy.flipud([[1], [2]]).numpy().tolist()
    [[2], [1]]
    """
    return flip(m, 0)


@export(_SPACE + "fliplr")
def fliplr(m):
    """The columns in reverse order.

    >>> tf.experimental.numpy.fliplr([[1, 2]]).numpy().tolist()
    [[2, 1]]
    """
    return flip(m, 1)


@export(_SPACE + "roll")
def roll(a, shift, axis=None):
    """Elements moved along an axis; those that fall out come in at the other end. Without an axis the whole is one vector.

    >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy().tolist()
    [3, 1, 2]
    """
    a = asarray(a)
    if axis is not None:
        return arrange.roll(a, shift, axis)
    return arrange.reshape(arrange.roll(arrange.reshape(a, [-1]), shift, 0), arrange.shape(a))


@export(_SPACE + "rot90")
def rot90(m, k=1, axes=(0, 1)):
    """Turned by 90 degrees `k` times, in the plane of two axes.

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
    """`a` repeated `reps` times along each axis.

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
    """Each element, or each slice along an axis, several times.

    >>> tf.experimental.numpy.repeat([1, 2], 2).numpy().tolist()
    [1, 1, 2, 2]
    """
    return tensors.repeat(asarray(a), asarray(repeats), axis)


@export(_SPACE + "pad")
def pad(array, pad_width, mode, **kwargs):
    """More elements before and after each axis: `constant_values`, or those of the tensor mirrored ("reflect", "symmetric").

    >>> tf.experimental.numpy.pad([1, 2], [[1, 1]], "reflect").numpy().tolist()
    [2, 1, 2, 1]
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    widths = asarray(pad_width, dtypes.int32)
    return arrange.pad(asarray(array), widths, mode.upper(), kwargs.get("constant_values", 0))


# --- joining and splitting ---------------------------------------------------------------------------------------------


@export(_SPACE + "concatenate")
def concatenate(arys, axis=0):
    """Tensors joined along an axis.

    >>> tf.experimental.numpy.concatenate([[1], [2.5]]).numpy().tolist()
    [1.0, 2.5]
    """
    arys = list(arys) if isinstance(arys, (list, tuple)) else [arys]
    if not arys:
        raise ValueError(f"Need at least one array to concatenate. Received empty input: arys={arys}")
    return arrange.concat(promoted(*arys), axis)


@export(_SPACE + "append")
def append(arr, values, axis=None):
    """`values` appended to `arr`: along an axis, or both as vectors.

    >>> tf.experimental.numpy.append([[1]], [2, 3]).numpy().tolist()
    [1, 2, 3]
    """
    return concatenate([ravel(arr), ravel(values)] if axis is None else [arr, values], axis or 0)


@export(_SPACE + "stack")
def stack(arrays, axis=0):
    """Tensors joined along a new axis.

    >>> tf.experimental.numpy.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if isinstance(arrays, Tensor):
        return arrays if axis == 0 else swapaxes(arrays, 0, axis)
    return arrange.stack(promoted(*arrays), axis)


@export(_SPACE + "hstack")
def hstack(tup):
    """Tensors side by side: along the second axis, vectors along their only one.

    >>> tf.experimental.numpy.hstack([[1], [2, 3]]).numpy().tolist()
    [1, 2, 3]
    """
    parts = promoted(*(atleast_1d(a) for a in tup))
    return arrange.concat(parts, 0 if parts[0].shape.rank == 1 else 1)


@export(_SPACE + "vstack")
def vstack(tup):
    """Tensors one below the other; vectors are rows.

    >>> tf.experimental.numpy.vstack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return arrange.concat(promoted(*(atleast_2d(a) for a in tup)), 0)


@export(_SPACE + "dstack")
def dstack(tup):
    """Stack tensors along the third axis.

    >>> tf.experimental.numpy.dstack([[1, 2], [3, 4]]).numpy().tolist()
    [[[1, 3], [2, 4]]]
    """
    return arrange.concat(promoted(*(atleast_3d(a) for a in tup)), 2)


def _sizes(a, boundaries, axis: int) -> list[int]:
    """The sizes of the parts between boundaries along an axis."""
    if axis >= len(a.shape):
        raise ValueError(f"axis {axis} is out of bound for shape {a.shape}")
    total, before = a.shape[axis], 0
    sizes: list[int] = []
    for i, end in enumerate(boundaries):
        if end < before:
            raise ValueError(f"The {i}-th boundary {end} is smaller than the previous boundary {before}")
        sizes.append(min(end - before, max(0, total - sum(sizes))))
        before = end
    return [*sizes, max(0, total - sum(sizes))]


@export(_SPACE + "split")
def split(ary, indices_or_sections, axis=0):
    """Split along an axis: into equal parts, or at the given indices.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]
    """
    ary = asarray(ary)
    if not isinstance(indices_or_sections, int):
        indices_or_sections = _sizes(ary, indices_or_sections, axis)
    return arrange.split(ary, indices_or_sections, axis=axis)


def _split_along(axis: int, name: str, what: str, argument: str, result: str):
    def function(ary, indices_or_sections):
        ary = asarray(ary)
        where = 0 if axis == 1 and ary.shape.rank == 1 else axis
        if isinstance(indices_or_sections, int):
            length = ary.shape[where]
            if length is not None and length % indices_or_sections:
                raise ValueError("array split does not result in an equal division")
        return split(ary, indices_or_sections, axis=where)

    doc = f"""Parts along the {what}: `split` there.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.{name}({argument}, 2)]
    {result}
    """
    return export_function(function, _SPACE + name, doc=doc)


vsplit = _split_along(0, "vsplit", "first axis", "[[1], [2]]", "[[[1]], [[2]]]")
hsplit = _split_along(1, "hsplit", "second axis; of a vector along its only one", "[1, 2]", "[[1], [2]]")
dsplit = _split_along(2, "dsplit", "third axis", "[[[1, 2]]]", "[[[[1]]], [[[2]]]]")
