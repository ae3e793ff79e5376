"""`reflow/api/linalg/operators/base.py`: what all operators share."""

import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, matrix


class Twice(tf.linalg.LinearOperator):
    """A user's operator: nothing but a shape and a product."""

    def __init__(self, size, scale=2.0, name="Twice", **hints):
        self._size, self._scale = size, scale
        super().__init__(tf.float32, name=name, **hints)

    def _shape(self):
        return tf.TensorShape([self._size, self._size])

    def _shape_tensor(self):
        return tf.constant([self._size, self._size])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._scale * (tf.linalg.adjoint(x) if adjoint_arg else x)


def test_everything_follows_from_shape_and_product():
    check(Twice(3))
    check(Twice(3, is_self_adjoint=True, is_positive_definite=True))
    assert Twice(3).parameters == {"size": 3, "scale": 2.0, "name": "Twice", "hints": {}}


def test_the_base_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        tf.linalg.LinearOperator(tf.float32)


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        ({"is_positive_definite": True, "is_non_singular": False}, "always non-singular"),
        ({"is_non_singular": True, "is_square": False}, "always square"),
        ({"is_self_adjoint": True, "is_square": False}, "always square"),
    ],
)
def test_hints_must_not_contradict(hints, message):
    with pytest.raises(ValueError, match=message):
        Twice(2, **hints)


def test_arguments_are_checked():
    operator = tf.linalg.LinearOperatorFullMatrix(matrix())
    with pytest.raises(TypeError, match="Expected argument to have dtype"):
        operator.matmul(tf.ones([3, 1], tf.float64))
    with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
        operator.matmul(tf.ones([2, 1]))
    with pytest.raises(ValueError, match="Operators are incompatible. Expected `x` to have dimension 3 but got 2."):
        operator.matmul(tf.linalg.LinearOperatorIdentity(2))
    wide = tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3]))
    for method, error in (
        (wide.determinant, NotImplementedError), (wide.inverse, ValueError), (wide.cholesky, ValueError)
    ):
        with pytest.raises(error):
            method()
    with pytest.raises(NotImplementedError, match="expected to not be square"):
        wide.solve(tf.ones([2, 1]))
    with pytest.raises(NotImplementedError, match="Only self-adjoint"):
        wide.eigvals()


def test_assertions_fire():
    singular = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [2.0, 4.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular matrix up to precision epsilon."):
        singular.assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not equal to its adjoint"):
        tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).assert_self_adjoint()
    tf.linalg.LinearOperatorFullMatrix(matrix()).assert_non_singular()
    with pytest.raises(NotImplementedError):
        singular.assert_positive_definite()
    tf.linalg.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 2.0]], is_self_adjoint=True).assert_positive_definite()


def test_functions_of_linalg_take_operators():
    operator = tf.linalg.LinearOperatorDiag([1.0, 4.0], is_positive_definite=True)
    assert tf.linalg.matmul(operator, tf.ones([2, 1])).numpy().tolist() == [[1.0], [4.0]]
    assert tf.matmul(tf.ones([1, 2]), operator).numpy().tolist() == [[1.0, 4.0]]
    assert tf.linalg.det(operator).numpy() == 4.0 and tf.linalg.trace(operator).numpy() == 5.0
    assert tf.linalg.cholesky(operator).diag.numpy().tolist() == [1.0, 2.0]
    assert tf.linalg.inv(operator, adjoint=True).diag.numpy().tolist() == [1.0, 0.25]
    assert tf.linalg.solve(operator, [[1.0], [1.0]]).numpy().tolist() == [[1.0], [0.25]]
    assert tf.linalg.adjoint(operator) is operator and tf.linalg.diag_part(operator).numpy().tolist() == [1.0, 4.0]
    assert round(float(tf.linalg.logdet(operator)), 4) == 1.3863
    with pytest.raises(ValueError, match="Transposing not supported"):
        tf.matmul(operator, [[1.0], [1.0]], transpose_a=True)


def test_shapes_that_are_unknown():
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([None, None])])
    def product(a, x):
        operator = tf.linalg.LinearOperatorFullMatrix(a)
        assert operator.tensor_rank is None and operator.is_square is None and operator.domain_dimension.value is None
        sizes = operator.batch_shape_tensor(), operator.domain_dimension_tensor(), operator.tensor_rank_tensor()
        return operator.matmul(x), operator.to_dense(), sizes

    a = matrix(2)
    found, dense, sizes = product(a, tf.ones([3, 1]))
    assert found.shape == (2, 3, 1) and dense.shape == (2, 3, 3)
    assert [x.numpy().tolist() for x in sizes] == [[2], 3, 3]


def test_names_in_graphs():
    with tf.Graph().as_default():
        out = tf.linalg.LinearOperatorDiag(tf.constant([1.0]), name="d").matmul(tf.constant([[1.0]]))
        assert out.op.name.startswith("d/matmul/")
