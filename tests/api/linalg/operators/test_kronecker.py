"""`reflow/api/linalg/operators/kronecker.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, matrix, numbers

KRONECKER, FULL, DIAG = (
    tf.linalg.LinearOperatorKronecker, tf.linalg.LinearOperatorFullMatrix, tf.linalg.LinearOperatorDiag
)


def test_methods():
    a, b = matrix(), numbers(2, 2)
    check(KRONECKER([FULL(a), FULL(b)]), np.kron(a, b))
    check(KRONECKER([FULL(a + 1j * matrix()), DIAG(numbers(2, 2) + 1j * numbers(2, 2))]))
    check(KRONECKER([FULL(numbers(2, 3)), FULL(numbers(2, 1))]))
    check(KRONECKER([FULL(matrix(size=2)), DIAG(numbers(2, 2)), tf.linalg.LinearOperatorIdentity(2)]))
    check_in_function(KRONECKER([FULL(a), DIAG(numbers(2))]))
    positive = KRONECKER([DIAG([4.0], is_positive_definite=True), DIAG([9.0], is_positive_definite=True)])
    assert positive.cholesky().to_dense().numpy().tolist() == [[6.0]]


def test_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None])])
    def product(a, x):
        return KRONECKER([FULL(a), FULL(a)]).matmul(x)

    a, x = numbers(2, 3), numbers(9, 2)
    assert np.allclose(product(a, x), np.kron(a, a) @ x, 1e-4)


def test_refusals():
    with pytest.raises(ValueError, match="must be a list of >=1 operators"):
        KRONECKER([])
    with pytest.raises(ValueError, match="Kronecker product of self-adjoint operators"):
        KRONECKER([DIAG([1.0])], is_self_adjoint=False)
    with pytest.raises(TypeError, match="to have the same dtype"):
        KRONECKER([DIAG([1.0]), DIAG([1j])])
    wide = KRONECKER([FULL(numbers(2, 3))])
    for method in (wide.assert_non_singular, wide.assert_self_adjoint):
        with pytest.raises(tf.errors.InvalidArgumentError, match="All Kronecker factors must be square"):
            method()
