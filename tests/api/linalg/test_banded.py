"""`reflow/api/linalg/banded.py`: what TensorFlow prints for the expressions of `banded.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


@pytest.mark.parametrize(
    "form, shapes, rhs, words",
    [
        ("matrix", [(5, 4, 7)], (5, 4), "last two dimensions of diagonals to be same, got 7 and 4"),
        ("matrix", [(4,)], (4,), "Expected diagonals to have rank at least 2, got 1"),
        ("sequence", [(5, 4), (5, 4), (5, 6)], (5, 4), "Expected subdiagonal to be have length 4 or 3, got 6"),
        ("sequence", [(5, 6), (5, 4), (5, 3)], (5, 4), "Expected superdiagonal to be have length 4 or 3, got 6"),
        ("sequence", [(5, 4), (7, 4), (5, 4)], (5, 4), "three diagonals must have the same shape"),
    ],
)
def test_diagonals_that_do_not_fit(form, shapes, rhs, words):
    diagonals = [tf.ones(s) for s in shapes]
    with pytest.raises(ValueError, match=words):
        tf.linalg.tridiagonal_solve(diagonals if form == "sequence" else diagonals[0], tf.ones(rhs), form)
