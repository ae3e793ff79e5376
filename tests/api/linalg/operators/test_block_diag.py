"""`reflow/api/linalg/operators/block_diag.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, matrix, numbers

BLOCKS, FULL, DIAG = tf.linalg.LinearOperatorBlockDiag, tf.linalg.LinearOperatorFullMatrix, tf.linalg.LinearOperatorDiag


def test_methods():
    check(BLOCKS([FULL([[1.0, 2.0], [3.0, 4.0]]), DIAG([5.0])]), np.array([[1, 2, 0], [3, 4, 0], [0, 0, 5.0]]))
    check(BLOCKS([FULL(matrix()), DIAG(numbers(2, 2))]))
    check(BLOCKS([FULL(numbers(2, 3)), FULL(numbers(1, 2))], is_square=False))
    check_in_function(BLOCKS([FULL(matrix()), DIAG(numbers(2, 2))]))
    operator = BLOCKS([DIAG([4.0], is_positive_definite=True)])
    assert type(operator.matmul(operator)) is BLOCKS and operator.cholesky().to_dense().numpy() == 2.0


def test_refusals():
    with pytest.raises(ValueError, match="non-empty list"):
        BLOCKS([])
    with pytest.raises(ValueError, match="direct sum of self-adjoint operators"):
        BLOCKS([DIAG([1.0])], is_self_adjoint=False)
    one, two = BLOCKS([DIAG([1.0, 1.0])]), BLOCKS([DIAG([1.0]), DIAG([1.0])])
    with pytest.raises(ValueError, match="Can not efficiently multiply two"):
        one.matmul(two)
    with pytest.raises(ValueError, match="Can not efficiently solve"):
        one.solve(two)
    with pytest.raises(ValueError, match="Blocks are incompatible"):
        BLOCKS([DIAG([1.0]), DIAG([1.0, 1.0])]).matmul(BLOCKS([DIAG([1.0, 1.0]), DIAG([1.0])]))
    with pytest.raises(NotImplementedError, match="blocks are not square"):
        BLOCKS([FULL(numbers(1, 2)), FULL(numbers(2, 1))]).trace()
    with pytest.raises(tf.errors.InvalidArgumentError):
        BLOCKS([DIAG([-1.0])]).assert_positive_definite()
