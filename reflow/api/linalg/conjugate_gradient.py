"""`tf.linalg.experimental.conjugate_gradient`: solves linear systems with products only."""

from __future__ import annotations

import collections

from reflow.api.array import arrange, creation
from reflow.api.export import export
from reflow.api.linalg.norms import norm
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.math.reduce import reduce_any, reduce_sum
from reflow.function.control_flow import while_loop
from reflow.ops.convert import constant, convert_to_tensor

CGState = collections.namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def _dot(x, y):
    return reduce_sum(unary.conj(x) * y, -1)


@export("linalg.experimental.conjugate_gradient")
def conjugate_gradient(operator, rhs, preconditioner=None, x=None, tol=1e-5, max_iter=20, name="conjugate_gradient"):
    """Solve `A x = rhs` for a self-adjoint positive definite operator by conjugate gradients.

    Args:
      operator: a `LinearOperator` with the hints `is_self_adjoint` and `is_positive_definite`.
      rhs: a batch of vectors.
      preconditioner: an operator that is close to the inverse of A.
      x: where the search begins; 0 if it is not given.
      tol: the search ends when the rest is smaller than this part of `rhs`.
      max_iter: the most steps.

    Returns:
      A named tuple `(i, x, r, p, gamma)`: the number of steps, the solution, the rest, the direction, and the product
      of the rest with the preconditioned one.

    Raises:
      ValueError: if the operator is not known to be self-adjoint and positive definite.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    >>> tf.linalg.experimental.conjugate_gradient(operator, tf.constant([1.0, 1.0])).x.numpy().round(4).tolist()
    [1.0, 0.5]
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    precondition = (lambda r: r) if preconditioner is None else preconditioner.matvec
    rhs = convert_to_tensor(rhs)
    batch = arrange.broadcast_dynamic_shape(arrange.shape(rhs)[:-1], operator.batch_shape_tensor())
    if preconditioner is not None:
        batch = arrange.broadcast_dynamic_shape(batch, preconditioner.batch_shape_tensor())
    shape = arrange.concat([batch, arrange.shape(rhs)[-1:]], 0)
    rest = arrange.broadcast_to(rhs, shape)
    limit = tol * norm(rest, axis=-1)
    if x is None:
        start = creation.zeros(shape, rhs.dtype)
    else:
        start = arrange.broadcast_to(convert_to_tensor(x, rhs.dtype), shape)
        rest = rhs - operator.matvec(start)
    direction = precondition(rest)

    def unfinished(i, x, r, p, gamma):
        size = norm(r, axis=-1)
        return m.logical_and(i < max_iter, reduce_any(unary.real(size) > unary.real(limit)))

    def step(i, x, r, p, gamma):
        image = operator.matvec(p)
        alpha = (gamma / _dot(p, image))[..., None]
        x, r = x + alpha * p, r - alpha * image
        turned = precondition(r)
        following = _dot(r, turned)
        return i + 1, x, r, turned + (following / gamma)[..., None] * p, following

    return CGState(*while_loop(unfinished, step, (constant(0), start, rest, direction, _dot(rest, direction))))
