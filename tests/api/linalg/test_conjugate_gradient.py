"""`reflow/api/linalg/conjugate_gradient.py` against NumPy's solutions."""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import matrix, numbers

A = (lambda a: a @ np.swapaxes(a, -1, -2))(matrix(2).astype("float64"))
B = numbers(3, dtype="float64")
OPERATOR = tf.linalg.LinearOperatorFullMatrix(A, is_self_adjoint=True, is_positive_definite=True)
SOLUTION = np.stack([np.linalg.solve(a, B) for a in A])
solve = tf.linalg.experimental.conjugate_gradient


def test_solutions():
    found = solve(OPERATOR, tf.constant(B))
    np.testing.assert_allclose(found.x, SOLUTION, 1e-4)
    assert 0 < int(found.i) <= 4 and found._fields == ("i", "x", "r", "p", "gamma")
    np.testing.assert_allclose(solve(OPERATOR, tf.constant(B), tol=0.0, max_iter=1).i, 1)
    np.testing.assert_allclose(tf.function(lambda b: solve(OPERATOR, b).x)(tf.constant(B)), SOLUTION, 1e-4)


def test_preconditioner_and_start():
    inverse = tf.linalg.LinearOperatorFullMatrix(np.linalg.inv(A))
    found = solve(OPERATOR, tf.constant(B), preconditioner=inverse, x=tf.ones([3], tf.float64))
    np.testing.assert_allclose(found.x, SOLUTION, 1e-6)
    assert int(found.i) == 1


def test_refuses_what_it_cannot_solve():
    with pytest.raises(ValueError, match="self-adjoint, positive definite"):
        solve(tf.linalg.LinearOperatorFullMatrix(A), tf.constant(B))
