"""`reflow/api/linalg/operators/adjoint.py`: every method against the dense matrix, and what the constructor refuses."""

import pytest

import reflow as tf
from tests.api.linalg.operators.dense import adjoint, check, check_in_function, matrix, numbers

ADJOINT, FULL = tf.linalg.LinearOperatorAdjoint, tf.linalg.LinearOperatorFullMatrix


def test_methods():
    a = matrix(2) + 1j * matrix(2)
    check(ADJOINT(FULL(a)), adjoint(a))
    check(ADJOINT(FULL(numbers(2, 3))))
    check_in_function(ADJOINT(FULL(matrix())))
    operator = FULL(matrix(), name="a")
    assert operator.H.H is operator and operator.H.name == "a_adjoint"


def test_hints_must_agree():
    with pytest.raises(ValueError, match="if and only if its adjoint is non-singular"):
        ADJOINT(FULL(matrix(), is_non_singular=True), is_non_singular=False)
