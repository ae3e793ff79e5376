"""`reflow/api/linalg/operators/householder.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, numbers

REFLECTION = tf.linalg.LinearOperatorHouseholder


def test_methods():
    check(REFLECTION([1.0, 1.0]), np.array([[0.0, -1.0], [-1.0, 0.0]]))
    check(REFLECTION(numbers(2, 3)))
    check_in_function(REFLECTION(numbers(3)))


def test_refusals():
    with pytest.raises(ValueError, match="at least 1 dimension"):
        REFLECTION(1.0)
    for hints in ({"is_self_adjoint": False}, {"is_positive_definite": True}, {"is_square": False}):
        with pytest.raises(ValueError, match="A Householder operator is always"):
            REFLECTION([1.0], **hints)
    with pytest.raises(tf.errors.InvalidArgumentError, match="always non-positive definite"):
        REFLECTION([1.0]).assert_positive_definite()
