"""`reflow/api/linalg/operators/low_rank.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, matrix, numbers

UPDATE = tf.linalg.LinearOperatorLowRankUpdate
BASE = tf.linalg.LinearOperatorDiag(numbers(2, 4), is_positive_definite=True)


def test_methods():
    u, v, d = numbers(4, 2), numbers(4, 2), numbers(2)
    base = BASE.to_dense().numpy()
    check(UPDATE(BASE, u), base + u @ u.T)
    check(UPDATE(BASE, u, d, v), base + u @ np.diag(d) @ v.T)
    check(UPDATE(tf.linalg.LinearOperatorFullMatrix(matrix(size=4)), u, d))
    check_in_function(UPDATE(BASE, u, d, v))


def test_hints_follow():
    positive = UPDATE(BASE, numbers(4, 2))
    assert positive.is_positive_definite and positive.is_self_adjoint and positive.is_diag_update_positive
    assert UPDATE(BASE, numbers(4, 2), v=numbers(4, 2)).is_positive_definite is None


def test_refusals():
    u = numbers(4, 2)
    with pytest.raises(ValueError, match="Default diagonal is the identity"):
        UPDATE(BASE, u, is_diag_update_positive=False)
    with pytest.raises(ValueError, match="must be a self-adjoint operator"):
        UPDATE(BASE, u, is_self_adjoint=False)
    with pytest.raises(ValueError, match="Arguments imply"):
        UPDATE(BASE, u, is_positive_definite=False)
    with pytest.raises(ValueError, match="not compatible"):
        UPDATE(BASE, numbers(3, 2))
    with pytest.raises(ValueError, match="not compatible"):
        UPDATE(BASE, u, numbers(3))
