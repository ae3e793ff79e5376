"""What linear operators are written with."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.linalg import linear_operator_util as util


def test_arguments_that_may_change():
    variable = tf.Variable([1.0, 2.0])
    assert util.convert_nonref_to_tensor(variable) is variable and util.convert_nonref_to_tensor(None) is None
    assert (
        util.convert_nonref_to_tensor([1.0]).dtype == tf.float32 and util.is_ref(variable)
        and not util.is_ref(tf.constant(1))
    )
    with pytest.raises(TypeError, match="must be of dtype `float64` Received: `float32`"):
        util.convert_nonref_to_tensor(variable, tf.float64)
    with pytest.raises(TypeError, match="Argument x cannot be reference type"):
        util.assert_not_ref_type(variable, "x")
    with pytest.raises(TypeError, match="Expected argument to have dtype"):
        util.check_dtype(tf.constant(1.0), tf.int32)
    assert util.base_dtype(np.float32) == tf.float32 and util.dtype_name(tf.int32) == "int32"
    assert util.shape_tensor([]).dtype == tf.int32


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: util.assert_no_entries_with_modulus_zero([1.0, 0.0], message="zero"), tf.errors.InvalidArgumentError),
        (lambda: util.assert_zero_imag_part([1.0 + 1j], message="part"), tf.errors.InvalidArgumentError),
        (
            lambda: util.assert_compatible_matrix_dimensions(tf.linalg.LinearOperatorIdentity(2), tf.ones([3, 3])),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: util.assert_is_batch_matrix(tf.ones([2])), ValueError),
        (lambda: util.broadcast_matrix_batch_dims([tf.ones([3])]), ValueError),
        (lambda: util.broadcast_matrix_batch_dims(3), TypeError),
        (lambda: util.is_aat_form([]), ValueError),
    ],
)
def test_checks_fire(call, error):
    with pytest.raises(error):
        call()


def test_batches_broadcast():
    found = util.broadcast_matrix_batch_dims([tf.ones([2, 1, 3, 3]), tf.ones([4, 3, 1])])
    assert [tuple(x.shape) for x in found] == [(2, 4, 3, 3), (2, 4, 3, 1)]
    solution = util.matrix_solve_with_broadcast([[2.0, 1.0], [0.0, 1.0]], tf.ones([3, 2, 1]))
    np.testing.assert_allclose(solution, np.broadcast_to([[0.0], [1.0]], [3, 2, 1]), atol=1e-6)


def test_pairs_and_hints():
    operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    assert (
        util.is_adjoint_pair(operator, operator.H) and util.is_aat_form([operator, operator.H])
        and not util.is_aat_form([operator])
    )
    known = tf.linalg.LinearOperatorFullMatrix([[1.0]], is_self_adjoint=True)
    combine = util.use_operator_or_provided_hint_unless_contradicting
    assert (
        combine(known, "is_self_adjoint", None, "no") is True
        and combine(operator, "is_self_adjoint", False, "no") is False
    )
    with pytest.raises(ValueError, match="contradiction"):
        combine(known, "is_self_adjoint", False, "contradiction")


def test_blocks():
    two, one, open_ = (tf.compat.v1.Dimension(size) for size in (2, 1, None))
    assert util.arg_is_blockwise([two, one], [tf.ones([2, 1]), tf.ones([1, 1])], -2)
    assert not util.arg_is_blockwise([two, one], tf.ones([3, 1]), -2)
    for dims in ([two, one], [open_, one]):
        parts = util.split_arg_into_blocks(dims, lambda: [tf.constant(2), tf.constant(1)], tf.range(3.0))
        assert [p.numpy().tolist() for p in parts] == [[0, 1], [2]]
