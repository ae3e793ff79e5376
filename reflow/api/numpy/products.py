"""`tf.experimental.numpy`: products of vectors, matrices and tensors."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.array import creation as tensors
from reflow.api.export import export, with_sections
from reflow.api.linalg import products
from reflow.api.linalg.diag import trace as matrix_trace
from reflow.api.math import special, unary
from reflow.api.numpy.arrays import as_tensor, asarray, promoted, rank_of, whole_axis
from reflow.api.numpy.creation import diagonal
from reflow.api.numpy.reductions import sum as sum_of
from reflow.api.numpy.shaping import broadcast, moveaxis, ravel
from reflow.api.numpy.types import result_type
from reflow.core import errors

_SPACE = "experimental.numpy."


_TWO = """\
Args:
  a: A tensor or an array-like value{kind}.
  b: A tensor or an array-like value{kind}.
"""


@export(_SPACE + "dot")
@with_sections(_TWO, kind="")
def dot(a, b):
    """Multiplies scalars, or sums products over the last axis of `a` and the only or second to last axis of `b`.

    Returns:
      A tensor of their common dtype, with the axes of both that are not summed.

    Raises:
      InvalidArgumentError: The axes that are summed differ in size.

    >>> tf.experimental.numpy.dot([[1, 2]], [3, 4]).numpy().tolist()
    [11]
    """
    a, b = promoted(a, b)
    if 0 in (a.shape.rank, b.shape.rank):
        return a * b
    return products.tensordot(a, b, [[-1], [-1 if b.shape.rank == 1 else -2]])


@export(_SPACE + "matmul")
def matmul(x1, x2):
    """Multiplies matrices; a vector is a row on the left and a column on the right.

    Args:
      x1: A tensor or an array-like value of at least one axis; its last two axes are matrices.
      x2: A tensor or an array-like value of at least one axis; its last two axes are matrices.

    Returns:
      A tensor of their common dtype, without the axis that was added to a vector.

    Raises:
      ValueError: The shapes do not fit, or an argument is a scalar.

    >>> tf.experimental.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy().tolist()
    [3, 7]
    """
    x1, x2 = promoted(x1, x2)
    try:
        if x2.shape.rank == 1:
            return products.tensordot(x1, x2, 1)
        if x1.shape.rank == 1:
            return products.tensordot(x1, x2, [[0], [-2]])
        return products.matmul(x1, x2)
    except errors.InvalidArgumentError as error:
        raise ValueError(str(error)) from error


@export(_SPACE + "tensordot")
def tensordot(a, b, axes=2):
    """Multiplies two tensors and sums over pairs of axes.

    Args:
      a: A tensor or an array-like value.
      b: A tensor or an array-like value.
      axes: How many of the last axes of `a` are summed with the first of `b`, or a pair of lists: those of `a` and
        those of `b`.

    Returns:
      A tensor of their common dtype, with the axes of `a` and then of `b` that are not summed.

    Raises:
      InvalidArgumentError: Axes that are summed together differ in size.

    >>> tf.experimental.numpy.tensordot([[1, 2]], [[3, 4]]).numpy().item()
    11
    """
    x, y = promoted(a, b)
    return products.tensordot(x, y, axes)


@export(_SPACE + "inner")
@with_sections(_TWO, kind="")
def inner(a, b):
    """Multiplies scalars, or sums products over the last axes.

    Returns:
      A tensor of their common dtype, with the other axes of `a` and then of `b`.

    Raises:
      InvalidArgumentError: The last axes differ in size.

    >>> tf.experimental.numpy.inner([1, 2], [3, 4]).numpy().item()
    11
    """
    a, b = promoted(a, b)
    return a * b if 0 in (a.shape.rank, b.shape.rank) else products.tensordot(a, b, [[-1], [-1]])


@export(_SPACE + "outer")
@with_sections(_TWO, kind=", treated as a vector")
def outer(a, b):
    """Multiplies each element of `a` by each of `b`.

    Returns:
      A matrix of their common dtype, with a row for each element of `a`.

    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy().tolist()
    [[3, 4], [6, 8]]
    """
    a, b = promoted(a, b)
    return arrange.reshape(a, [-1, 1]) * arrange.reshape(b, [-1])


@export(_SPACE + "vdot")
def vdot(a, b):
    """Sums the products of all elements, those of `a` conjugated.

    Args:
      a: A tensor or an array-like value, treated as a vector.
      b: A tensor or an array-like value with as many elements, treated as a vector.

    Returns:
      A scalar tensor of their common dtype.

    Raises:
      InvalidArgumentError: The arguments differ in the number of elements.

    >>> tf.experimental.numpy.vdot([1, 2], [3, 4]).numpy().item()
    11
    """
    a, b = promoted(a, b)
    return dot(unary.conj(ravel(a)), ravel(b))


@export(_SPACE + "cross")
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Computes the vector product of vectors with two or three elements.

    Args:
      a: A tensor or an array-like value.
      b: A tensor or an array-like value.
      axisa: The axis of `a` along which its vectors lie.
      axisb: The axis of `b` along which its vectors lie.
      axisc: The axis of the result along which its vectors lie.
      axis: All three at once, if given.

    Returns:
      A tensor of their common dtype: vectors of three elements, or only the third element if all vectors of `a` and `b`
      have two.

    Raises:
      FailedPreconditionError: The vectors have another number of elements.

    >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promoted(a, b)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    is_flat = a.shape[-1] == b.shape[-1] == 2
    found = products.cross(*broadcast(*(_with_third(x) for x in (a, b))))
    return found[..., 2] if is_flat else moveaxis(found, -1, axisc)


def _with_third(x):
    """Vectors with a third element, 0 if they have two."""
    return arrange.concat([x, tensors.zeros_like(x[..., :1])], -1) if x.shape[-1] == 2 else x


@export(_SPACE + "kron")
@with_sections(_TWO, kind=" of known rank")
def kron(a, b):
    """Computes the Kronecker product: each element of `a` times all of `b`.

    Returns:
      A tensor of their common dtype; the size of each axis is the product of the sizes in `a` and `b`.

    >>> tf.experimental.numpy.kron([1, 2], [1, 1]).numpy().tolist()
    [1, 1, 2, 2]
    """
    a, b = promoted(a, b)
    axes = max(a.shape.rank, b.shape.rank)
    a, b = (x[(None,) * (axes - x.shape.rank) + (Ellipsis,)] for x in (a, b))
    wide = a[tuple(part for _ in range(axes) for part in (slice(None), None))]
    other = b[tuple(part for _ in range(axes) for part in (None, slice(None)))]
    return arrange.reshape(wide * other, arrange.shape(a) * arrange.shape(b))


@export(_SPACE + "einsum")
def einsum(subscripts, *operands, **kwargs):
    """Sums products along named axes: repeated names are multiplied, names missing from the result are summed.

    Args:
      subscripts: The names of the axes of each operand and of the result, as in "ij,jk->ik".
      *operands: Tensors or array-like values, which are brought to their common dtype.
      **kwargs: `casting`: "safe" or "no", which give the same result. `optimize`: how the order of products is chosen:
        False, True, "greedy" or "optimal".

    Returns:
      A tensor with the axes named after the arrow.

    Raises:
      ValueError: `casting` or `optimize` has another value.
      InvalidArgumentError: The subscripts do not fit the operands.

    >>> tf.experimental.numpy.einsum("i,i->", [1, 2], [3, 4]).numpy().item()
    11
    """
    casting, optimize = kwargs.get("casting", "safe"), kwargs.get("optimize", False)
    if casting not in ("safe", "no"):
        raise ValueError(
            'Invalid value for argument `casting`. Expected casting="safe" or casting="no". '
            f'Received: casting={casting}'
        )
    orders = {False: "greedy", True: "greedy", "greedy": "greedy", "optimal": "optimal"}
    if optimize not in orders:
        raise ValueError(
            f'Invalid value for argument `optimize`. Expected one of {{True, "greedy", "optimal"}}. '
            f'Received: optimize={optimize}'
        )
    parts = promoted(*operands) if casting == "safe" else [asarray(x) for x in operands]
    return products.einsum(subscripts, *parts, optimize=orders[optimize])


@export(_SPACE + "trace")
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """Sums a diagonal of the matrices that lie in two axes.

    Args:
      a: A tensor or an array-like value of at least two axes.
      offset: The diagonal: 0 is the main one, positive ones lie above it, negative ones below.
      axis1: The axis of the rows.
      axis2: The axis of the columns.
      dtype: The dtype to which `a` is converted first.

    Returns:
      A tensor with the other axes of `a`.

    >>> tf.experimental.numpy.trace([[1, 2], [3, 4]]).numpy().item()
    5
    """
    dtype = result_type(dtype) if dtype else None
    a = as_tensor(a, dtype)
    rank = rank_of(a)
    if offset == 0 and isinstance(rank, int) and (whole_axis(axis1, a), whole_axis(axis2, a)) == (rank - 2, rank - 1):
        return matrix_trace(a)
    return sum_of(diagonal(a, offset, axis1, axis2), -1, dtype)


@export(_SPACE + "polyval")
def polyval(p, x):
    """Evaluates a polynomial.

    Args:
      p: Its coefficients, as a vector, the highest power first; or a constant.
      x: The points, a tensor or an array-like value.

    Returns:
      A tensor of the shape of `x`, of the common dtype.

    >>> tf.experimental.numpy.polyval([1, 0, 2], 3).numpy().item()
    11
    """
    p, x = promoted(p, x)
    coefficients = arrange.unstack(arrange.reshape(p, [1]) if p.shape.rank == 0 else p)
    value = special.polyval(coefficients, x)
    return arrange.broadcast_to(value, arrange.shape(x)) if len(coefficients) == 1 else value
