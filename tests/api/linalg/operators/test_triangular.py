"""`reflow/api/linalg/operators/triangular.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, matrix

LOWER = tf.linalg.LinearOperatorLowerTriangular


def test_methods():
    check(LOWER([[1.0, 9.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [3.0, 4.0]]))
    check(LOWER(matrix(2)))
    check_in_function(LOWER(matrix()))


def test_refusals():
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        LOWER([1.0])
    with pytest.raises(ValueError, match="Only square"):
        LOWER([[1.0]], is_square=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero values"):
        LOWER([[0.0]]).assert_non_singular()
