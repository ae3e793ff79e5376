"""`tf.linalg`: diagonals, bands, transposes, traces."""

from __future__ import annotations

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_sum
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor


def is_operator(x) -> bool:
    """Whether a matrix is given by a `LinearOperator`, which has methods for what functions of `tf.linalg` do with tensors."""
    return getattr(x, "_is_linear_operator", False)


def _padding(value, x):
    return convert_to_tensor(bool(value) if x._dtype is dtypes.bool_ and isinstance(value, int) else value, x._dtype)


@export("linalg.diag")
def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with the given diagonal, or band of diagonals k0..k1, and `padding_value` elsewhere.

    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    >>> tf.linalg.diag([1, 2], k=1).numpy().tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    x = convert_to_tensor(diagonal)
    where = [convert_to_tensor(v) for v in (k, num_rows, num_cols)]
    return call("MatrixDiagV3", (x, *where, _padding(padding_value, x)), {"align": align}, name)


@export("linalg.diag_part")
def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    """The diagonal of matrices, or the band of diagonals k0..k1 as rows.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    if is_operator(input):
        return input.diag_part(name)
    x = convert_to_tensor(input)
    return call("MatrixDiagPartV3", (x, convert_to_tensor(k), _padding(padding_value, x)), {"align": align}, name)


@export("linalg.set_diag")
def set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    """Matrices with another diagonal, or band of diagonals.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [7, 8]).numpy().tolist()
    [[7, 2], [3, 8]]
    """
    x, d = m.pair(input, diagonal)
    return call("MatrixSetDiagV3", (x, d, convert_to_tensor(k)), {"align": align}, name)


@export("linalg.band_part")
def band_part(input, num_lower, num_upper, name=None):
    """Zero outside a central band; a negative count keeps that whole triangle.

    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    lower, upper = m.pair(num_lower, num_upper)
    return call("MatrixBandPart", (convert_to_tensor(input), lower, upper), {}, name)


@export("linalg.tensor_diag")
def tensor_diag(diagonal, name=None):
    """A tensor of twice the rank, with the given elements at equal pairs of indices.

    >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return call("Diag", (convert_to_tensor(diagonal),), {}, name)


@export("linalg.tensor_diag_part")
def tensor_diag_part(input, name=None):
    """The elements at equal pairs of indices of a tensor of even rank.

    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    return call("DiagPart", (convert_to_tensor(input),), {}, name)


@export("linalg.trace")
def trace(x, name=None):
    """The sum of the main diagonal of matrices.

    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy().item()
    5
    """
    return x.trace(name) if is_operator(x) else reduce_sum(diag_part(x), -1, name=name)


@export("linalg.matrix_transpose")
def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """The last two axes swapped.

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
    """The last two axes swapped, and complex numbers conjugated.

    >>> tf.linalg.adjoint([[1 + 1j, 2j]]).numpy().tolist()
    [[(1-1j)], [-2j]]
    """
    return matrix.adjoint(name) if is_operator(matrix) else matrix_transpose(matrix, name, conjugate=True)
