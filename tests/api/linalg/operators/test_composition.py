"""`reflow/api/linalg/operators/composition.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, matrix, numbers

PRODUCT, FULL = tf.linalg.LinearOperatorComposition, tf.linalg.LinearOperatorFullMatrix


def test_methods():
    a, d = matrix(), numbers(2, 3)
    check(PRODUCT([FULL(a), tf.linalg.LinearOperatorDiag(d)]), a * d[:, None, :])
    check(PRODUCT([FULL(numbers(2, 3)), FULL(numbers(3, 4))]))
    check_in_function(PRODUCT([FULL(matrix()), FULL(matrix())]))
    assert PRODUCT([FULL(a, name="a"), FULL(a, name="b")]).name == "a_o_b"


def test_a_product_with_its_adjoint():
    lower = tf.linalg.LinearOperatorLowerTriangular([[-2.0, 0.0], [1.0, 3.0]], is_non_singular=True)
    square = PRODUCT([lower, lower.H])
    assert square.is_self_adjoint and square.is_positive_definite
    assert square.cholesky().to_dense().numpy().tolist() == [[2.0, 0.0], [-1.0, 3.0]]
    with pytest.raises(ValueError, match="determined to be self-adjoint"):
        PRODUCT([lower, lower.H], is_self_adjoint=False)


def test_refusals():
    with pytest.raises(ValueError, match="non-empty list of operators"):
        PRODUCT([])
    with pytest.raises(TypeError, match="same dtype"):
        PRODUCT([tf.linalg.LinearOperatorIdentity(2), tf.linalg.LinearOperatorIdentity(2, dtype=tf.float64)])
    with pytest.raises(ValueError, match="always non-singular"):
        PRODUCT([tf.linalg.LinearOperatorIdentity(2)], is_non_singular=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular"):
        PRODUCT([FULL([[1.0, 1.0], [1.0, 1.0]])]).assert_non_singular()
