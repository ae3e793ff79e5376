"""Sums of operators in tiers."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.linalg import linear_operator_addition as addition

diag, tril = tf.linalg.LinearOperatorDiag, tf.linalg.LinearOperatorLowerTriangular


def test_a_sum_has_the_most_special_kind():
    (total,) = addition.add_operators([diag([1.0, 1.0]), tril([[2.0, 0.0], [5.0, 2.0]]), diag([3.0, 3.0])])
    assert isinstance(total, tril) and total.to_dense().numpy().tolist() == [[6.0, 0.0], [5.0, 6.0]]
    unit = tf.linalg.LinearOperatorIdentity(2)
    (total,) = addition.add_operators([unit, unit])
    assert isinstance(total, tf.linalg.LinearOperatorScaledIdentity) and total.is_positive_definite
    matrix = addition._AddAndReturnMatrix().add(unit, unit, "mine", addition._Hints(is_self_adjoint=True))
    assert isinstance(matrix, tf.linalg.LinearOperatorFullMatrix) and matrix.name == "mine"


def test_what_no_tier_can_add_stays():
    left = addition.add_operators(
        [diag([1.0]), diag([2.0]), tril([[5.0]])], addition_tiers=[[addition._AddAndReturnDiag()]]
    )
    assert sorted(type(op).__name__ for op in left) == ["LinearOperatorDiag", "LinearOperatorLowerTriangular"]


def test_errors():
    with pytest.raises(ValueError, match="at least one"):
        addition.add_operators([])
    with pytest.raises(TypeError, match="contain only LinearOperator"):
        addition.add_operators([1, 2])
    with pytest.raises(ValueError, match="must.*same `domain_dimension`"):
        addition.add_operators([diag([1.0]), diag([1.0, 2.0])])


def test_names_of_sums():
    a, b, c = (tf.linalg.LinearOperatorDiag([1.0, 2.0], name=name) for name in "abc")
    assert [op.name for op in addition.add_operators([a, b])] == ["Add/b__a/"]
    assert [op.name for op in addition.add_operators([a, b, c])] == ["Add/Add/c__b/__a/"]
    assert addition.add_operators([a, b], addition_tiers=[[addition._AddAndReturnDiag()]])[0].name == "Add/a__b/"
