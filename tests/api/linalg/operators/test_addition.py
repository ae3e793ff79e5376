"""`reflow/api/linalg/operators/addition.py`: the kind of sums of operators, and their numbers."""

import itertools

import pytest

import reflow as tf
from reflow.api.linalg.operators.addition import add_operators
from tests.api.linalg.operators.dense import close, matrix, numbers

L = tf.linalg
#: from special to general
OPERATORS = [
    L.LinearOperatorZeros(3),
    L.LinearOperatorScaledIdentity(3, 2.0),
    L.LinearOperatorDiag(numbers(3)),
    L.LinearOperatorLowerTriangular(matrix()),
    L.LinearOperatorFullMatrix(matrix()),
]


@pytest.mark.parametrize(("i", "j"), list(itertools.product(range(5), range(5))))
def test_a_sum_has_the_more_general_kind(i, j):
    a, b = OPERATORS[i], OPERATORS[j]
    (total,) = add_operators([a, b])
    close(total.to_dense(), a.to_dense().numpy() + b.to_dense().numpy())
    assert type(total) is type(OPERATORS[max(i, j)])


def test_sums_are_checked():
    with pytest.raises(ValueError, match="at least one operator"):
        add_operators([])
    with pytest.raises(ValueError, match="compatible shapes"):
        add_operators([L.LinearOperatorIdentity(2), L.LinearOperatorIdentity(3)])
    with pytest.raises(TypeError, match="same dtype"):
        add_operators([L.LinearOperatorIdentity(2), L.LinearOperatorIdentity(2, dtype=tf.float64)])
    (total,) = add_operators([L.LinearOperatorIdentity(2), L.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)])
    assert total.is_positive_definite and total.is_self_adjoint and total.is_non_singular
