"""`tf.sparse`: arithmetic, reductions and their gradients. Results are TensorFlow's."""

import pytest

import reflow as tf

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
    assert (
        dense(sparse.maximum(a, b)) == [[1, 5, 2], [1, 0, 3]] and dense(sparse.minimum(a, b)) == [[0, 0, -2], [0, 0, 0]]
    )
    assert sparse.add(a, tf.ones([2, 3])).numpy().tolist() == [[2, 1, 3], [1, 1, 4]]
    assert (
        dense(a * 2.0) == [[2, 0, 4], [0, 0, 6]] and dense(a / tf.constant([1.0, 2.0, 2.0])) == [[1, 0, 1], [0, 0, 1.5]]
    )
    with pytest.raises(TypeError, match="At least one input should be SparseTensor; do you mean to use tf.add"):
        sparse.add(tf.ones([2]), tf.ones([2]))


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


def test_reductions(a):
    assert sparse.reduce_sum(a, 0).numpy().tolist() == [1, 0, 5] and sparse.reduce_max(a, 1).numpy().tolist() == [2, 3]


def test_a_true_quotient_of_integers_is_of_floats():
    """The op itself truncates, and `__div__` is the op; recorded from TensorFlow 2.21."""
    for dtype, quotient in ((tf.int8, tf.float32), (tf.int32, tf.float64), (tf.float32, tf.float32)):
        x, y = tf.sparse.from_dense(tf.constant([[4, 0, 7]], dtype)), tf.constant([[2, 2, 2]], dtype)
        assert (x / y).dtype == quotient and (x / y).values.numpy().tolist() == [2, 3.5]
        assert x.__div__(y).values.numpy().tolist() == [2, 3.5 if dtype == tf.float32 else 3]
