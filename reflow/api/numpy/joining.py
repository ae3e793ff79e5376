"""`tf.experimental.numpy`: joining tensors and splitting them."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.export import export, export_function
from reflow.api.numpy.arrays import asarray, atleast_1d, atleast_2d, atleast_3d, promoted
from reflow.api.numpy.shaping import ravel, swapaxes
from reflow.core.tensor import Tensor

_SPACE = "experimental.numpy."


@export(_SPACE + "concatenate")
def concatenate(arys, axis=0):
    """Joins tensors along an axis.

    Args:
      arys: A sequence of tensors or array-like values.
      axis: The axis; the sizes of all others are equal.

    Returns:
      A tensor of the common dtype.

    Raises:
      ValueError: The sequence is empty.
      InvalidArgumentError: The shapes do not fit.

    >>> tf.experimental.numpy.concatenate([[1], [2.5]]).numpy().tolist()
    [1.0, 2.5]
    """
    arys = list(arys) if isinstance(arys, (list, tuple)) else [arys]
    if not arys:
        raise ValueError(f"Need at least one array to concatenate. Received empty input: arys={arys}")
    return arrange.concat(promoted(*arys), axis)


@export(_SPACE + "append")
def append(arr, values, axis=None):
    """Appends values to a tensor.

    Args:
      arr: A tensor or an array-like value.
      values: A tensor or an array-like value.
      axis: The axis along which they are joined; by default both are treated as vectors.

    Returns:
      A tensor of the common dtype.

    Raises:
      InvalidArgumentError: The shapes do not fit.

    >>> tf.experimental.numpy.append([[1]], [2, 3]).numpy().tolist()
    [1, 2, 3]
    """
    return concatenate([ravel(arr), ravel(values)] if axis is None else [arr, values], axis or 0)


@export(_SPACE + "stack")
def stack(arrays, axis=0):
    """Joins tensors of one shape along a new axis.

    Args:
      arrays: A sequence of tensors or array-like values; a tensor is taken as the sequence of its slices.
      axis: The position of the new axis in the result.

    Returns:
      A tensor of the common dtype.

    Raises:
      ValueError: The axis is out of range.
      InvalidArgumentError: The shapes differ.

    >>> tf.experimental.numpy.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if isinstance(arrays, Tensor):
        return arrays if axis == 0 else swapaxes(arrays, 0, axis)
    return arrange.stack(promoted(*arrays), axis)


@export(_SPACE + "hstack")
def hstack(tup):
    """Joins tensors side by side: along the second axis, vectors along their only one.

    Args:
      tup: A sequence of tensors or array-like values; scalars become vectors.

    Returns:
      A tensor of the common dtype.

    Raises:
      InvalidArgumentError: The shapes do not fit.

    >>> tf.experimental.numpy.hstack([[1], [2, 3]]).numpy().tolist()
    [1, 2, 3]
    """
    parts = promoted(*(atleast_1d(a) for a in tup))
    return arrange.concat(parts, 0 if parts[0].shape.rank == 1 else 1)


@export(_SPACE + "vstack")
def vstack(tup):
    """Joins tensors one below the other, along the first axis.

    Args:
      tup: A sequence of tensors or array-like values; vectors are rows.

    Returns:
      A tensor of the common dtype, of at least two axes.

    Raises:
      InvalidArgumentError: The shapes do not fit.

    >>> tf.experimental.numpy.vstack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return arrange.concat(promoted(*(atleast_2d(a) for a in tup)), 0)


@export(_SPACE + "dstack")
def dstack(tup):
    """Joins tensors along the third axis.

    Args:
      tup: A sequence of tensors or array-like values, which get three axes as by `atleast_3d`.

    Returns:
      A tensor of the common dtype, of at least three axes.

    Raises:
      InvalidArgumentError: The shapes do not fit.

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
    """Splits a tensor along an axis, into equal parts or at given indices.

    Args:
      ary: A tensor or an array-like value.
      indices_or_sections: The number of parts, or the ascending indices at which the second and later parts begin.
      axis: The axis.

    Returns:
      A list of tensors.

    Raises:
      ValueError: An index is smaller than the one before.
      InvalidArgumentError: The axis cannot be split into that many equal parts.

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

    doc = f"""Splits a tensor along its {what}.

    Args:
      ary: A tensor or an array-like value.
      indices_or_sections: The number of parts, or the ascending indices at which the second and later parts begin.

    Returns:
      A list of tensors.

    Raises:
      ValueError: The axis cannot be split into that many equal parts.

    >>> [x.numpy().tolist() for x in tf.experimental.numpy.{name}({argument}, 2)]
    {result}
    """
    return export_function(function, _SPACE + name, doc=doc)


vsplit = _split_along(0, "vsplit", "first axis", "[[1], [2]]", "[[[1]], [[2]]]")
hsplit = _split_along(1, "hsplit", "second axis, or a vector along its only one", "[1, 2]", "[[1], [2]]")
dsplit = _split_along(2, "dsplit", "third axis", "[[[1, 2]]]", "[[[[1]]], [[[2]]]]")
