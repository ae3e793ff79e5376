"""`reflow/api/linalg/operators/inversion.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, matrix

INVERSE, FULL = tf.linalg.LinearOperatorInversion, tf.linalg.LinearOperatorFullMatrix


def test_methods():
    a = matrix(2)
    check(INVERSE(FULL(a)), np.linalg.inv(a))
    check_in_function(INVERSE(FULL(matrix())))
    operator = FULL(matrix(), name="a")
    assert operator.inverse().inverse() is operator and operator.inverse().name == "a_inv"


def test_refusals():
    for hint in ("is_non_singular", "is_square"):
        with pytest.raises(ValueError, match=f"must have supplied hint `{hint}`"):
            INVERSE(FULL(matrix()), **{hint: False})
