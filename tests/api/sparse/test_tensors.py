"""`tf.sparse`: arithmetic, shapes, gradients, bad indices, functions. Results are TensorFlow's."""

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


def test_arithmetic(a, b):
    total = sparse.add(a, b)
    assert total.indices.numpy().tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 2]]
    assert total.values.numpy().tolist() == [1.0, 5.0, 0.0, 1.0, 3.0]  # an entry that became zero stays
    assert sparse.add(a, b, threshold=0.5).values.numpy().tolist() == [1.0, 5.0, 1.0, 3.0]
    assert dense(sparse.maximum(a, b)) == [[1, 5, 2], [1, 0, 3]] and dense(sparse.minimum(a, b)) == [[0, 0, -2], [0, 0, 0]]
    assert sparse.add(a, tf.ones([2, 3])).numpy().tolist() == [[2, 1, 3], [1, 1, 4]]
    assert dense(a * 2.0) == [[2, 0, 4], [0, 0, 6]] and dense(a / tf.constant([1.0, 2.0, 2.0])) == [[1, 0, 1], [0, 0, 1.5]]
    with pytest.raises(TypeError, match="At least one input should be SparseTensor; do you mean to use tf.add"):
        sparse.add(tf.ones([2]), tf.ones([2]))


def test_shapes(a, b):
    assert dense(sparse.reshape(a, [3, -1])) == [[1, 0], [2, 0], [0, 3]]
    assert dense(sparse.transpose(a)) == [[1, 0], [0, 0], [2, 3]]
    assert sparse.expand_dims(a, 1).shape == [2, 1, 3]
    assert dense(sparse.concat(-1, [a, b])) == [[1, 0, 2, 0, 5, -2], [0, 0, 3, 1, 0, 0]]
    assert dense(sparse.slice(a, [0, 1], [2, 2])) == [[0, 2], [0, 3]]
    assert [dense(p) for p in sparse.split(a, num_split=2, axis=1)] == [[[1, 0], [0, 0]], [[2], [3]]]
    assert sparse.reduce_sum(a, 0).numpy().tolist() == [1, 0, 5] and sparse.reduce_max(a, 1).numpy().tolist() == [2, 3]


@pytest.mark.parametrize("indices, message", [
    ([[1, 0], [0, 1]], r"indices\[1\] = \[0,1\] is out of order. Many sparse ops require sorted indices."),
    ([[0, 1], [0, 1]], r"indices\[1\] = \[0,1\] is repeated"),
    ([[0, 1], [0, 5]], r"indices\[1\] = \[0,5\] is out of bounds: need 0 <= index < \[2,2\]")])
def test_bad_indices(indices, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        sparse.to_dense(tf.SparseTensor(indices, [1, 2], [2, 2]))


def test_sparse_gradients(a, b):
    w = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        tape.watch([w, a.values])
        loss = tf.reduce_sum(sparse.sparse_dense_matmul(a, w) ** 2)
    grad_w, grad_values = tape.gradient(loss, [w, a.values])
    assert grad_w.numpy().tolist() == [[6, 6], [0, 0], [30, 30]] and grad_values.numpy().tolist() == [12, 12, 12]
    with tf.GradientTape() as tape:
        tape.watch([a.values, b.values])
        loss = tf.reduce_sum(sparse.to_dense(sparse.add(a, b)) ** 2)
    grads = tape.gradient(loss, [a.values, b.values])
    assert [g.numpy().tolist() for g in grads] == [[2, 0, 6], [10, 0, 2]]


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
