"""`reflow/api/linalg/operators/identity.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, numbers

IDENTITY, SCALED = tf.linalg.LinearOperatorIdentity, tf.linalg.LinearOperatorScaledIdentity


def test_methods():
    check(IDENTITY(3), np.eye(3))
    check(IDENTITY(2, batch_shape=[3], dtype=tf.complex64))
    check(SCALED(3, 2.0), 2 * np.eye(3))
    check(SCALED(3, numbers(2) + 1j * numbers(2)))
    check_in_function(IDENTITY(3, batch_shape=[2]))
    check_in_function(SCALED(3, 2.0))
    assert SCALED(2, 4.0, is_positive_definite=True).cholesky().multiplier.numpy() == 2.0
    assert IDENTITY(2).cholesky().shape == (2, 2) and IDENTITY(2).inverse().shape == (2, 2)


@pytest.mark.parametrize("hint", ["is_self_adjoint", "is_non_singular", "is_positive_definite", "is_square"])
def test_an_identity_is_everything(hint):
    with pytest.raises(ValueError, match="An identity operator is always"):
        IDENTITY(2, **{hint: False})


def test_sizes_are_checked():
    with pytest.raises(TypeError, match="must be integer type"):
        IDENTITY(2.0)
    with pytest.raises(ValueError, match="num_rows must be a 0-D Tensor"):
        IDENTITY([2])
    with pytest.raises(ValueError, match="batch_shape must be non-negative"):
        IDENTITY(2, batch_shape=[-1])
    with pytest.raises(TypeError, match="num_rows cannot be reference type"):
        SCALED(tf.Variable(2), 1.0)
    with pytest.raises(ValueError, match="always square"):
        SCALED(2, 1.0, is_square=False)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def made(rows):
        return IDENTITY(rows, assert_proper_shapes=True).to_dense()

    assert made(tf.constant(2)).shape == (2, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_rows must be non-negative"):
        made(tf.constant(-2))


def test_assertions():
    for name, message in (("non_singular", "was singular"), ("positive_definite", "was not positive definite")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            getattr(SCALED(2, 0.0), f"assert_{name}")()
    with pytest.raises(tf.errors.InvalidArgumentError, match="was not self-adjoint"):
        SCALED(2, 1j).assert_self_adjoint()
    assert np.isnan(SCALED(2, 0.0).cond().numpy())
