"""`reflow/api/linalg/operators/algebra.py`: the kind of products and quotients of operators, and their numbers."""

import itertools

import pytest

import reflow as tf
from tests.api.linalg.operators.dense import close, matrix, numbers

L = tf.linalg
OPERATORS = {
    "identity": L.LinearOperatorIdentity(3, batch_shape=[2]),
    "scaled": L.LinearOperatorScaledIdentity(3, numbers(2)),
    "diag": L.LinearOperatorDiag(numbers(2, 3)),
    "lower": L.LinearOperatorLowerTriangular(matrix(2)),
    "full": L.LinearOperatorFullMatrix(matrix(2)),
    "inverse": L.LinearOperatorInversion(L.LinearOperatorFullMatrix(matrix(2))),
}
#: pairs whose product has the kind of one of them
KEPT = {
    ("scaled", "scaled"): "scaled", ("scaled", "diag"): "diag", ("diag", "scaled"): "diag", ("diag", "diag"): "diag",
    ("diag", "lower"): "lower", ("lower", "diag"): "lower",
}  # fmt: skip


@pytest.mark.parametrize(("left", "right"), list(itertools.product(OPERATORS, OPERATORS)))
def test_products_and_quotients(left, right):
    a, b = OPERATORS[left], OPERATORS[right]
    product, quotient = a.matmul(b), a.solve(b)
    close(product.to_dense(), a.to_dense().numpy() @ b.to_dense().numpy())
    close(quotient.to_dense(), tf.linalg.solve(a.to_dense(), b.to_dense()).numpy())
    if left == "identity" or right == "identity":
        assert product is (b if left == "identity" else a)
    else:
        kind = KEPT.get((left, right))
        assert type(product) is (L.LinearOperatorComposition if kind is None else type(OPERATORS[kind]))


def test_products_with_zeros():
    zeros = L.LinearOperatorZeros(3)
    assert zeros.matmul(OPERATORS["full"]) is zeros and OPERATORS["full"].matmul(zeros) is zeros
    with pytest.raises(ValueError, match="not supported at this time"):
        L.LinearOperatorFullMatrix(numbers(2, 3)).matmul(zeros)


def test_circulant_operators_stay_circulant():
    a = L.LinearOperatorCirculant(numbers(4))
    assert type(a.matmul(a)) is type(a.solve(a)) is L.LinearOperatorCirculant
    assert type(a @ L.LinearOperatorCirculant2D(numbers(2, 2))) is L.LinearOperatorComposition
