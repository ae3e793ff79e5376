"""`tf.linalg`: diagonals, bands, transposes, traces."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_sum
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor


def is_operator(x) -> bool:
    """Whether a matrix is given by a `LinearOperator`, which has methods for what `tf.linalg` does with tensors."""
    return getattr(x, "_is_linear_operator", False)


def _padding(value, x):
    return convert_to_tensor(bool(value) if x._dtype is dtypes.bool_ and isinstance(value, int) else value, x._dtype)


@export("linalg.diag")
def diag(diagonal, name="diag", k: Any = 0, num_rows=-1, num_cols=-1, padding_value: Any = 0, align="RIGHT_LEFT"):
    """Creates matrices with the given diagonal, or band of diagonals, and `padding_value` elsewhere.

    Args:
      diagonal: A tensor whose last axis is the diagonal; of a band of several, the axis before has a row for each, the
        uppermost first.
      name: A name for the operation.
      k: The number of the diagonal: 0 is the main one, positive ones are above it; or a pair for the band from the
        lowest to the highest.
      num_rows: The number of rows; -1 for as few as the diagonals need.
      num_cols: The number of columns; -1 for as few as the diagonals need.
      padding_value: The elements outside of the diagonals.
      align: Where the elements of shorter diagonals are in their rows: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or
        "RIGHT_RIGHT", first for those above the main diagonal, then for those below.

    Returns:
      A tensor of the dtype of `diagonal`, whose last two axes are matrices.

    Raises:
      InvalidArgumentError: The diagonals do not fit into that many rows and columns.

    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    >>> tf.linalg.diag([1, 2], k=1).numpy().tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    x = convert_to_tensor(diagonal)
    where = [convert_to_tensor(v) for v in (k, num_rows, num_cols)]
    return call("MatrixDiagV3", (x, *where, _padding(padding_value, x)), {"align": align}, name)


@export("linalg.diag_part")
def diag_part(input, name="diag_part", k: Any = 0, padding_value: Any = 0, align="RIGHT_LEFT"):
    """Returns the diagonal of matrices, or a band of diagonals as rows.

    Args:
      input: A tensor whose last two axes are matrices, or a `tf.linalg.LinearOperator`, of which the main diagonal is
        returned.
      name: A name for the operation.
      k: The number of the diagonal: 0 is the main one, positive ones are above it; or a pair for the band from the
        lowest to the highest.
      padding_value: What fills the rows of shorter diagonals.
      align: Where the elements of shorter diagonals are in their rows: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or
        "RIGHT_RIGHT", first for those above the main diagonal, then for those below.

    Returns:
      A tensor of the dtype of `input`, whose last axis is a diagonal; of several the uppermost comes first.

    Raises:
      InvalidArgumentError: There is no such diagonal.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    if is_operator(input):
        return input.diag_part(name)
    x = convert_to_tensor(input)
    return call("MatrixDiagPartV3", (x, convert_to_tensor(k), _padding(padding_value, x)), {"align": align}, name)


@export("linalg.set_diag")
def set_diag(input, diagonal, name="set_diag", k: Any = 0, align="RIGHT_LEFT"):
    """Replaces the diagonal of matrices, or a band of diagonals.

    Args:
      input: A tensor whose last two axes are matrices.
      diagonal: The new diagonal, or diagonals, as `diag_part` returns them.
      name: A name for the operation.
      k: The number of the diagonal: 0 is the main one, positive ones are above it; or a pair for the band from the
        lowest to the highest.
      align: Where the elements of shorter diagonals are in their rows, as in `diag_part`.

    Returns:
      A tensor of the shape and dtype of `input`.

    Raises:
      InvalidArgumentError: The shape of `diagonal` is not that of the diagonals.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [7, 8]).numpy().tolist()
    [[7, 2], [3, 8]]
    """
    x, d = m.pair(input, diagonal)
    return call("MatrixSetDiagV3", (x, d, convert_to_tensor(k)), {"align": align}, name)


@export("linalg.band_part")
def band_part(input, num_lower, num_upper, name=None):
    """Sets matrices to zero outside of a central band.

    Args:
      input: A tensor whose last two axes are matrices.
      num_lower: How many diagonals below the main one to keep; a negative number for all.
      num_upper: How many diagonals above the main one to keep; a negative number for all.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `input`.

    Raises:
      InvalidArgumentError: There are not that many diagonals.

    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    lower, upper = m.pair(num_lower, num_upper)
    return call("MatrixBandPart", (convert_to_tensor(input), lower, upper), {}, name)


@export("linalg.tensor_diag")
def tensor_diag(diagonal, name=None):
    """Creates a tensor of twice the rank, with the given elements at equal pairs of indices.

    Args:
      diagonal: A tensor of numbers, of rank 1 or more.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `diagonal`, of shape `diagonal.shape + diagonal.shape`; zeros elsewhere.

    >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return call("Diag", (convert_to_tensor(diagonal),), {}, name)


@export("linalg.tensor_diag_part")
def tensor_diag_part(input, name=None):
    """Returns the elements at equal pairs of indices of a tensor of even rank.

    Args:
      input: A tensor of numbers, whose shape is one half twice.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`, of the first half of its shape.

    Raises:
      InvalidArgumentError: The rank is odd, or the halves of the shape differ.

    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    return call("DiagPart", (convert_to_tensor(input),), {}, name)


@export("linalg.trace")
@scoped("Trace", result=True)
def trace(x, name=None):
    """Sums the main diagonal of matrices.

    Args:
      x: A tensor whose last two axes are matrices, or a `tf.linalg.LinearOperator`.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `x`, of its shape without the last two axes.

    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy().item()
    5
    """
    return x.trace(name) if is_operator(x) else reduce_sum(diag_part(x), -1, name=name)


@export("linalg.matrix_transpose")
def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """Swaps the last two axes.

    Args:
      a: A tensor of rank 2 or more.
      name: A name for the operation.
      conjugate: Whether complex numbers are conjugated too.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      ValueError: The rank is below 2.

    >>> tf.linalg.matrix_transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    x = convert_to_tensor(a)
    rank = x.shape.rank
    op_name = "ConjugateTranspose" if conjugate and x._dtype.is_complex else "Transpose"
    if rank is None:
        count = call("Rank", (x,))
        ends = call("Pack", (m.subtract(count, 1), m.subtract(count, 2)), {"N": 2, "axis": 0})
        lead = call("Range", (constant(0), m.subtract(count, 2), constant(1)))
        return call(op_name, (x, call("ConcatV2", (lead, ends, constant(0)), {"N": 2})), {}, name)
    if rank < 2:
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with shape: {x.shape}"
        )
    return call(op_name, (x, constant(np.array([*range(rank - 2), rank - 1, rank - 2], np.int32))), {}, name)


@export("linalg.adjoint")
def adjoint(matrix, name=None):
    """Swaps the last two axes and conjugates complex numbers.

    Args:
      matrix: A tensor of rank 2 or more, or a `tf.linalg.LinearOperator`.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `matrix`, or an operator.

    Raises:
      ValueError: The rank is below 2.

    >>> tf.linalg.adjoint([[1 + 1j, 2j]]).numpy().tolist()
    [[(1-1j)], [-2j]]
    """
    return matrix.adjoint(name) if is_operator(matrix) else matrix_transpose(matrix, name, conjugate=True)
