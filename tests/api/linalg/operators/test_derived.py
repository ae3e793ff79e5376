"""Adjoints and inverses ask the operator that they are made of."""

import pytest

import reflow as tf


@pytest.mark.parametrize("kind", [tf.linalg.LinearOperatorAdjoint, tf.linalg.LinearOperatorInversion])
def test_checks_are_those_of_the_operator(kind):
    singular = tf.linalg.LinearOperatorDiag([1.0, 0.0])
    derived = kind(singular)
    assert derived.operator is singular
    with pytest.raises(tf.errors.InvalidArgumentError):
        derived.assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError):
        derived.assert_positive_definite()
    kind(tf.linalg.LinearOperatorDiag([1.0, 2.0])).assert_self_adjoint()
