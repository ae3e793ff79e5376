"""`reflow/api/linalg/operators/hints.py`: what is known of products, adjoints and inverses."""

import pytest

import reflow as tf
from reflow.api.linalg.operators import hints
from tests.api.linalg.operators.dense import matrix, numbers

FULL, DIAG = tf.linalg.LinearOperatorFullMatrix, tf.linalg.LinearOperatorDiag


def test_products():
    good, bad, unknown = (DIAG(numbers(2), is_non_singular=hint) for hint in (True, False, None))
    assert hints.non_singular_product(good, good) is True and hints.non_singular_product(good, bad) is False
    assert hints.non_singular_product(good, unknown) is None
    wide, tall = FULL(numbers(2, 3)), FULL(numbers(3, 2))
    assert hints.square_product(wide, tall) is True and hints.square_product(good, wide) is False
    assert hints.of_product(good, wide) == (False, False, False, False)
    assert hints.of_commuting_product(good, good) == (True, True, None, True)


def test_shared_hints_must_agree():
    operator = FULL(matrix(), is_self_adjoint=True)
    assert hints.shared_with(operator, hints.Hints(True), "adjoint") == (True, True, None, True)
    with pytest.raises(ValueError, match="An operator is self-adjoint if and only if its inverse is self-adjoint."):
        hints.shared_with(operator, hints.Hints(is_self_adjoint=False), "inverse")


def test_a_product_with_its_adjoint_is_recognised():
    operator = FULL(matrix())
    assert hints.is_mirrored([operator, operator.H]) and not hints.is_mirrored([operator, operator])
    assert not hints.is_mirrored([operator])
