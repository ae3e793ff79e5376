"""`reflow/api/linalg/operators/diag.py`: every method against the dense matrix, and what the constructor refuses."""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, numbers

DIAG = tf.linalg.LinearOperatorDiag


def test_methods():
    check(DIAG([1.0, 2.0, 4.0]), np.diag([1.0, 2.0, 4.0]))
    check(DIAG(numbers(2, 3)))
    check(DIAG(numbers(3) + 1j * numbers(3)))
    check_in_function(DIAG(numbers(3)))
    assert DIAG([4.0], is_positive_definite=True).cholesky().diag.numpy().tolist() == [2.0]


def test_refusals():
    with pytest.raises(ValueError, match="at least 1 dimension"):
        DIAG(1.0)
    with pytest.raises(ValueError, match="always self adjoint"):
        DIAG([1.0], is_self_adjoint=False)
    with pytest.raises(ValueError, match="Only square"):
        DIAG([1.0], is_square=False)


def test_assertions():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Diagonal contained zero values"):
        DIAG([1.0, 0.0]).assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-positive diagonal entries"):
        DIAG([1.0, -1.0]).assert_positive_definite()
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-positive real part"):
        DIAG([-1.0 + 1j]).assert_positive_definite()
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-zero imaginary values"):
        DIAG([1j]).assert_self_adjoint()
    operator = DIAG([1.0, 2.0])
    for passes in (operator.assert_non_singular, operator.assert_positive_definite, operator.assert_self_adjoint):
        passes()
