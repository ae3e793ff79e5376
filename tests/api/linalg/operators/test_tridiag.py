"""`reflow/api/linalg/operators/tridiag.py`: every method against the dense matrix, and what the constructor refuses."""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, numbers

TRIDIAG = tf.linalg.LinearOperatorTridiag
DIAGONALS = numbers(2, 3, 4) + np.array([[0.0], [3.0], [0.0]], "float32")


def test_methods_of_every_form():
    compact = TRIDIAG(DIAGONALS)
    check(compact)
    check(TRIDIAG(compact.to_dense(), "matrix"), compact.to_dense().numpy())
    upper, main, lower = np.moveaxis(DIAGONALS, 1, 0)
    check(TRIDIAG([upper, main, lower], "sequence"), compact.to_dense().numpy())
    check(TRIDIAG(DIAGONALS + 1j * DIAGONALS))
    check_in_function(compact)
    check_in_function(TRIDIAG([upper[0], main, lower], "sequence"))


def test_refusals():
    with pytest.raises(ValueError, match="must be one of compact, matrix, or sequence"):
        TRIDIAG(DIAGONALS, "no")
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-conjugate subdiagonal"):
        TRIDIAG(DIAGONALS).assert_self_adjoint()
    TRIDIAG([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]]).assert_self_adjoint()
