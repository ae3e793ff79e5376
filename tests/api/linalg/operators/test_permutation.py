"""`reflow/api/linalg/operators/permutation.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function

PERMUTATION = tf.linalg.LinearOperatorPermutation


def test_methods():
    check(PERMUTATION([1, 2, 0]), np.eye(3)[[1, 2, 0]])
    check(PERMUTATION([[1, 2, 0], [0, 2, 1]], dtype=tf.complex64))
    check_in_function(PERMUTATION([1, 2, 0]))


def test_refusals():
    with pytest.raises(ValueError, match="unique integers from 0 to 2"):
        PERMUTATION([1, 1, 0])
    with pytest.raises(TypeError, match="must be integer dtype"):
        PERMUTATION([1.0, 0.0])
    with pytest.raises(ValueError, match="at least 1 dimension"):
        PERMUTATION(0)
    for hint in ("is_square", "is_non_singular"):
        with pytest.raises(ValueError, match=f"Expected argument `{hint}` to be True"):
            PERMUTATION([0], **{hint: False})


def test_unknown_rank():
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)])
    def product(x, perm):
        return PERMUTATION(perm).matmul(x)

    assert product([[1.0], [2.0]], [1, 0]).numpy().tolist() == [[2.0], [1.0]]
