"""`reflow/api/linalg/operators/toeplitz.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, numbers

TOEPLITZ = tf.linalg.LinearOperatorToeplitz


def test_methods():
    check(TOEPLITZ([1.0, 2.0, 3.0], [1.0, 5.0, 6.0]), np.array([[1.0, 5.0, 6.0], [2.0, 1.0, 5.0], [3.0, 2.0, 1.0]]))
    first = np.array([4.0, 0.0, 0.0], "float32")
    check(TOEPLITZ(numbers(2, 3) + first, numbers(3)))
    check(TOEPLITZ(numbers(3) + first + 1j * numbers(3), numbers(3) + 1j * numbers(3)))
    check_in_function(TOEPLITZ(numbers(3), numbers(3)))


def test_refusals():
    with pytest.raises(ValueError, match="mismatched dimensions"):
        TOEPLITZ([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="Argument col must have at least 1 dimension"):
        TOEPLITZ(1.0, [1.0])
    with pytest.raises(ValueError, match="Only square"):
        TOEPLITZ([1.0], [1.0], is_square=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="row and col are not the same"):
        TOEPLITZ([1.0, 2.0], [1.0, 3.0]).assert_self_adjoint()
