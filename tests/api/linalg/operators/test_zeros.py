"""`reflow/api/linalg/operators/zeros.py`: every method against the dense matrix, and what the constructor refuses."""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function

ZEROS = tf.linalg.LinearOperatorZeros


def test_methods():
    check(ZEROS(3), np.zeros([3, 3]))
    check(ZEROS(2, batch_shape=[3]))
    check(ZEROS(2, 3, is_square=False, is_self_adjoint=False), np.zeros([2, 3]))
    check_in_function(ZEROS(2, batch_shape=[3]))


def test_refusals():
    for hint, message in (("is_non_singular", "always singular"), ("is_positive_definite", "not positive-definite")):
        with pytest.raises(ValueError, match=message):
            ZEROS(2, **{hint: True})
    with pytest.raises(ValueError, match=r"num_rows\(2\) != num_columns\(3\)"):
        ZEROS(2, 3)
    for method in (ZEROS(2).assert_non_singular, ZEROS(2).assert_positive_definite):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Zero operators are always"):
            method()
    with pytest.raises(NotImplementedError, match="expected to be singular"):
        ZEROS(2).solve([[1.0], [1.0]])
