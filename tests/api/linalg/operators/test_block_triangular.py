"""`reflow/api/linalg/operators/block_triangular.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, matrix, numbers

BLOCKS, FULL, DIAG = (
    tf.linalg.LinearOperatorBlockLowerTriangular, tf.linalg.LinearOperatorFullMatrix, tf.linalg.LinearOperatorDiag,
)  # fmt: skip


def test_methods():
    check(BLOCKS([[DIAG([2.0])], [FULL([[3.0]]), DIAG([4.0])]]), np.array([[2.0, 0.0], [3.0, 4.0]]))
    operator = BLOCKS(
        [
            [FULL(matrix())],
            [FULL(numbers(2, 3)), DIAG(numbers(2, 2))],
            [FULL(numbers(1, 3)), FULL(numbers(1, 2)), tf.linalg.LinearOperatorIdentity(1)],
        ]
    )
    check(operator)
    check_in_function(operator)
    assert type(operator.inverse()) is BLOCKS


def test_refusals():
    one = DIAG([1.0], is_non_singular=True)
    with pytest.raises(ValueError, match="must contain `2` blocks"):
        BLOCKS([[one], [one]])
    with pytest.raises(ValueError, match="must be a list of >=1 operators"):
        BLOCKS([])
    with pytest.raises(ValueError, match="domain_dimension` .2. must be the same as"):
        BLOCKS([[one], [FULL(numbers(1, 2)), one]])
    with pytest.raises(ValueError, match="always non-singular"):
        BLOCKS([[one]], is_non_singular=False)
    with pytest.raises(ValueError, match="must be square"):
        BLOCKS([[one]], is_square=False)
    with pytest.raises(ValueError, match="Matrices on the diagonal"):
        BLOCKS([[FULL(numbers(1, 2))]])
    with pytest.raises(TypeError, match="same dtype"):
        BLOCKS([[one], [DIAG([1j]), DIAG([1j])]])
