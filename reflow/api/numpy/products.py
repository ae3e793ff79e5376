"""`tf.experimental.numpy`: products of vectors, matrices and tensors."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.array import creation as tensors
from reflow.api.export import export
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


@export(_SPACE + "dot")
def dot(a, b):
    """The product of a tensor's last axis with the only or the second to last axis of another; of scalars the product.

    >>> tf.experimental.numpy.dot([[1, 2]], [3, 4]).numpy().tolist()
    [11]
    """
    a, b = promoted(a, b)
    if 0 in (a.shape.rank, b.shape.rank):
        return a * b
    return products.tensordot(a, b, [[-1], [-1 if b.shape.rank == 1 else -2]])


@export(_SPACE + "matmul")
def matmul(x1, x2):
    """The product of matrices; a vector is a row on the left and a column on the right.

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
    """The product of two tensors summed over pairs of axes.

    >>> tf.experimental.numpy.tensordot([[1, 2]], [[3, 4]]).numpy().item()
    11
    """
    return products.tensordot(*promoted(a, b), axes)


@export(_SPACE + "inner")
def inner(a, b):
    """The sum of products over the last axes.

    >>> tf.experimental.numpy.inner([1, 2], [3, 4]).numpy().item()
    11
    """
    a, b = promoted(a, b)
    return a * b if 0 in (a.shape.rank, b.shape.rank) else products.tensordot(a, b, [[-1], [-1]])


@export(_SPACE + "outer")
def outer(a, b):
    """All products of an element of `a` and one of `b`.

    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy().tolist()
    [[3, 4], [6, 8]]
    """
    a, b = promoted(a, b)
    return arrange.reshape(a, [-1, 1]) * arrange.reshape(b, [-1])


@export(_SPACE + "vdot")
def vdot(a, b):
    """The sum of products of all elements, those of `a` conjugated.

    >>> tf.experimental.numpy.vdot([1, 2], [3, 4]).numpy().item()
    11
    """
    a, b = promoted(a, b)
    return dot(unary.conj(ravel(a)), ravel(b))


@export(_SPACE + "cross")
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product of vectors with two or three elements; of two with two elements its third.

    Args:
      axisa, axisb: where the vectors lie in `a` and `b`.
      axisc: where they lie in the result.
      axis: all three at once.

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
def kron(a, b):
    """The Kronecker product: each element of `a` times all of `b`.

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
    """Sums of products by naming axes: repeated names are multiplied, names missing from the result are summed.

    Args:
      casting: "safe" brings the operands to their common dtype, "no" leaves them.
      optimize: False, True, "greedy" or "optimal": the order of products.

    >>> tf.experimental.numpy.einsum("i,i->", [1, 2], [3, 4]).numpy().item()
    11
    """
    casting, optimize = kwargs.get("casting", "safe"), kwargs.get("optimize", False)
    if casting not in ("safe", "no"):
        raise ValueError(
            f'Invalid value for argument `casting`. Expected casting="safe" or casting="no". Received: casting={casting}'
        )
    orders = {False: "greedy", True: "greedy", "greedy": "greedy", "optimal": "optimal"}
    if optimize not in orders:
        raise ValueError(
            f'Invalid value for argument `optimize`. Expected one of {{True, "greedy", "optimal"}}. Received: optimize={optimize}'
        )
    parts = promoted(*operands) if casting == "safe" else [asarray(x) for x in operands]
    return products.einsum(subscripts, *parts, optimize=orders[optimize])


@export(_SPACE + "trace")
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of diagonal `offset` of the matrices in two axes.

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
    """The value of a polynomial; `p` are its coefficients, the highest power first.

    >>> tf.experimental.numpy.polyval([1, 0, 2], 3).numpy().item()
    11
    """
    p, x = promoted(p, x)
    coefficients = arrange.unstack(arrange.reshape(p, [1]) if p.shape.rank == 0 else p)
    value = special.polyval(coefficients, x)
    return arrange.broadcast_to(value, arrange.shape(x)) if len(coefficients) == 1 else value
