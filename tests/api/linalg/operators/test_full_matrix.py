"""`reflow/api/linalg/operators/full_matrix.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, matrix, numbers

FULL = tf.linalg.LinearOperatorFullMatrix


def test_methods():
    check(FULL([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    check(FULL(matrix(2) + 1j * matrix(2)))
    check(FULL(numbers(2, 3)))
    check_in_function(FULL(matrix()))
    positive = FULL([[4.0, 2.0], [2.0, 5.0]], is_positive_definite=True, is_self_adjoint=True)
    check(positive)
    assert positive.cholesky().to_dense().numpy().tolist() == [[2.0, 0.0], [1.0, 2.0]]


def test_refusals():
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        FULL([1.0])
    with pytest.raises(TypeError, match="must have dtype in"):
        FULL([[1]])
