"""Operators that a vector describes: their shapes, and the name under which checkpoints find the vector."""

import pytest

import reflow as tf


@pytest.mark.parametrize(
    ("kind", "attribute", "vector"),
    [
        (tf.linalg.LinearOperatorDiag, "_diag", [[1.0, 2.0, 3.0]]),
        (tf.linalg.LinearOperatorPermutation, "_perm", [[2, 0, 1]]),
        (tf.linalg.LinearOperatorHouseholder, "_reflection_axis", [[1.0, 0.0, 0.0]]),
    ],
)
def test_shape_and_name_of_the_vector(kind, attribute, vector):
    variable = tf.Variable(vector)
    operator = kind(variable)
    assert operator.shape == [1, 3, 3] and operator._shape_tensor().numpy().tolist() == [1, 3, 3]
    assert dict(operator._trackable_children())[attribute] is variable
