"""`tf.linalg`: functions of an LU factorization, and products with tridiagonal matrices."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.api.linalg.diag import band_part, diag_part, set_diag
from reflow.api.linalg.products import matmul
from reflow.api.linalg.solve import triangular_solve
from reflow.api.math import arithmetic as m
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor


def _unit_lower(packed):
    """L of a packed factorisation: ones on the diagonal."""
    return set_diag(band_part(packed, -1, 0), call("OnesLike", (diag_part(packed),)))


def _rows(x, order):
    """The rows of each matrix of a batch in another order."""
    batch = order.shape.rank - 1
    return call("GatherV2", (x, order, constant(batch)), {"batch_dims": batch})


def _inverse_order(p):
    """For each row of a batch of permutations its inverse."""
    last = m.subtract(call("Rank", (p,)), 1)
    size = call("GatherV2", (call("Shape", (p,)), last, constant(0)))
    return call("TopKV2", (m.negative(p), size), {"sorted": True})[1]


def _checked(lower_upper, perm, validate_args):
    packed, p = convert_to_tensor(lower_upper), convert_to_tensor(perm)
    if validate_args:
        rank = packed.shape.rank
        if rank is not None and rank < 2:
            raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
        if rank is not None and p.shape.rank is not None and rank != p.shape.rank + 1:
            raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    return packed, p


_FACTORS = """\
Args:
  lower_upper: L and U in one matrix, or a batch of them, as `tf.linalg.lu` returns them.
  perm: The permutation of the rows, as `tf.linalg.lu` returns it.
  rhs: The right-hand sides, columns of a matrix.
  validate_args: Whether to check that the ranks match.
  name: A name for the operation.

Returns:
  {result}.

Raises:
  ValueError: With `validate_args`, the ranks do not match.
"""
_SAME = "A tensor of the shape and dtype of `lower_upper`"


@export("linalg.lu_reconstruct")
@with_sections(_FACTORS, result=_SAME)
def lu_reconstruct(lower_upper, perm, validate_args=False, name=None):
    """Computes the matrix with this LU factorization.

    Args:
      name: Ignored.

    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])).numpy().tolist()
    [[1.0, 2.0], [4.0, 4.0]]
    """
    packed, p = _checked(lower_upper, perm, validate_args)
    return _rows(matmul(_unit_lower(packed), band_part(packed, 0, -1)), _inverse_order(m.cast(p, dtypes.int32)))


@export("linalg.lu_solve")
@with_sections(_FACTORS, result="The solutions, a tensor of the shape and dtype of `rhs`")
def lu_solve(lower_upper, perm, rhs, validate_args=False, name=None):
    """Solves `a @ x = rhs` given the LU factorization of a.

    >>> tf.linalg.lu_solve(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]]), [[3.0], [8.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    packed, p = _checked(lower_upper, perm, validate_args)
    ordered = _rows(convert_to_tensor(rhs, dtype_hint=packed._dtype), p)
    return triangular_solve(packed, triangular_solve(_unit_lower(packed), ordered), lower=False, name=name)


@export("linalg.lu_matrix_inverse")
@with_sections(_FACTORS, result=_SAME)
def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    """Computes the inverse of the matrix with this LU factorization.

    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]])).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    packed, p = _checked(lower_upper, perm, validate_args)
    unit = set_diag(call("ZerosLike", (packed,)), call("OnesLike", (diag_part(packed),)))
    return lu_solve(packed, p, unit, name=name)
