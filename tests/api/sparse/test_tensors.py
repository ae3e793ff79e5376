"""`tf.sparse`: shapes, bad indices, functions. Results are TensorFlow's."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)
sparse = tf.sparse


def dense(x):
    return sparse.to_dense(x).numpy().tolist()


@pytest.fixture
def a():
    return sparse.from_dense([[1.0, 0, 2], [0, 0, 3]])


@pytest.fixture
def b():
    return sparse.from_dense([[0.0, 5, -2], [1, 0, 0]])


def test_shapes(a, b):
    assert dense(sparse.reshape(a, [3, -1])) == [[1, 0], [2, 0], [0, 3]]
    assert dense(sparse.transpose(a)) == [[1, 0], [0, 0], [2, 3]]
    assert sparse.expand_dims(a, 1).shape == [2, 1, 3]
    assert dense(sparse.concat(-1, [a, b])) == [[1, 0, 2, 0, 5, -2], [0, 0, 3, 1, 0, 0]]
    assert dense(sparse.slice(a, [0, 1], [2, 2])) == [[0, 2], [0, 3]]
    assert [dense(p) for p in sparse.split(a, num_split=2, axis=1)] == [[[1, 0], [0, 0]], [[2], [3]]]


@pytest.mark.parametrize("indices, message", [
    ([[1, 0], [0, 1]], r"indices\[1\] = \[0,1\] is out of order. Many sparse ops require sorted indices."),
    ([[0, 1], [0, 1]], r"indices\[1\] = \[0,1\] is repeated"),
    ([[0, 1], [0, 5]], r"indices\[1\] = \[0,5\] is out of bounds: need 0 <= index < \[2,2\]")])
def test_bad_indices(indices, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        sparse.to_dense(tf.SparseTensor(indices, [1, 2], [2, 2]))


def test_composites_pass_through_functions(a):
    @tf.function
    def f(x, r):
        return sparse.add(x, x), r + 1, r.to_tensor(), r[1:]

    total, more, padded, rest = f(a, tf.ragged.constant([[1, 2, 3], [], [4]]))
    assert dense(total) == [[2, 0, 4], [0, 0, 6]] and more.to_list() == [[2, 3, 4], [], [5]]
    assert padded.numpy().tolist() == [[1, 2, 3], [0, 0, 0], [4, 0, 0]] and rest.to_list() == [[], [4]]


def test_arrays_of_eager_sparse_tensors():
    made = tf.SparseTensor([[0, 0], [0, 1]], [1.0, 3.0], [2, 2])
    assert made._is_eager() and made._numpy().tolist() == [[1.0, 3.0], [0.0, 0.0]]
    with tf.Graph().as_default():
        made = tf.SparseTensor([[0, 0]], [1.0], tf.compat.v1.placeholder(tf.int64, [None]))
        assert made.shape.rank is None and tf.rank(made).op.name == "Rank"
        with pytest.raises(ValueError, match="only supported in eager mode"):
            made._numpy()
