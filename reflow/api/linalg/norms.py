"""`tf.linalg`: norms of vectors and matrices."""

from __future__ import annotations

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.linalg.solve import svd
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_max, reduce_sum
from reflow.api.scoped import scoped
from reflow.ops.convert import constant, convert_to_tensor


@export("norm", "linalg.norm")
@scoped("norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):
    """Computes the norm of vectors (an int axis, or all elements) or matrices (a pair of axes).

    Args:
      tensor: A tensor of a float or complex dtype.
      ord: "euclidean", 1, 2, infinity or another positive number for vectors; "euclidean", "fro", 1, 2 (the greatest
        singular value) or infinity for matrices.
      axis: The axis of the vectors, the pair of axes of the matrices, or None: all elements are then one vector.
      keepdims: Whether to keep these axes, with size 1.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `tensor` (real for complex numbers, unless the norm is Euclidean), without these axes
      unless `keepdims`.

    Raises:
      ValueError: There is no such norm, or `axis` has more than two axes.
      InvalidArgumentError: `tensor` has integers.

    >>> tf.norm([3.0, 4.0]).numpy().item()
    5.0
    >>> tf.norm([[1.0, -2.0], [3.0, -4.0]], ord=1, axis=[0, 1]).numpy().item()
    6.0
    """
    keepdims = bool(keepdims)
    is_matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    _check_norm(ord, axis, is_matrix)
    x = convert_to_tensor(tensor)
    if ord in ("fro", "euclidean") or (ord == 2 and not is_matrix):
        out = m.sqrt(reduce_sum(m.multiply(x, m.conj(x)), axis, keepdims=True))
    elif ord == 2:
        return _spectral(x, axis, keepdims)
    elif ord == 1:
        out = reduce_sum(m.absolute(x), axis[0] if is_matrix else axis, keepdims=True)
        out = reduce_max(out, axis[1], keepdims=True) if is_matrix else out
    elif ord == np.inf:
        out = reduce_sum(m.absolute(x), axis[1], keepdims=True) if is_matrix else m.absolute(x)
        out = reduce_max(out, axis[0] if is_matrix else axis, keepdims=True)
    else:
        out = m.pow(reduce_sum(m.pow(m.absolute(x), ord), axis, keepdims=True), 1.0 / ord)
    if keepdims:
        return out
    axes = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return call("Squeeze", (out,), {"squeeze_dims": axes}, name)


def _check_norm(ord, axis, is_matrix: bool) -> None:
    if isinstance(axis, (list, tuple)) and len(axis) > 2:
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    allowed = ("euclidean", "fro", 1, 2, np.inf) if is_matrix else ("euclidean", 1, 2, np.inf)
    if (isinstance(ord, str) or is_matrix) and ord not in allowed or not isinstance(ord, str) and ord <= 0:
        kind = f"matrix norm in {list(allowed)}" if is_matrix else "vector norm"
        raise ValueError(f"'ord' must be a supported {kind}, got {ord}")


def _spectral(x, axis, keepdims):
    """The greatest singular value of the matrices in two axes."""
    rank = x.shape.rank
    axes = [a % rank for a in axis]
    order = [i for i in range(rank) if i not in axes] + axes
    greatest = reduce_max(svd(call("Transpose", (x, constant(order))), compute_uv=False), -1, keepdims=True)
    out = call("ExpandDims", (greatest, constant(-1)))
    back = call("Transpose", (out, constant([order.index(i) for i in range(rank)])))
    return back if keepdims else call("Squeeze", (back,), {"squeeze_dims": sorted(axes)})


@export("linalg.normalize")
def normalize(tensor, ord="euclidean", axis=None, name=None):
    """Divides a tensor by its norm along `axis`, and returns that norm too.

    Args:
      tensor: A tensor of a float or complex dtype.
      ord: The norm, as for `tf.norm`.
      axis: The axis of vectors, the pair of axes of matrices, or None: all elements are then one vector.
      name: A name for the operation.

    Returns:
      A pair of tensors of the dtype of `tensor`: the first has its shape, the second is the norm, with axes of size 1.

    Raises:
      ValueError: There is no such norm, or `axis` has more than two axes.

    >>> unit, size = tf.linalg.normalize([3.0, 4.0])
    >>> size.numpy().tolist()
    [5.0]
    """
    x = convert_to_tensor(tensor)
    size = m.cast(norm(x, ord, axis, keepdims=True), x._dtype)
    return m.divide(x, size, name), size
