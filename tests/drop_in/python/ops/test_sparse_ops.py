"""Sums at the places of a sparse tensor."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops import sparse_ops
from reflow.drop_in.python.ops.sparse_ops import sparse_dense_cwise_add


def test_a_dense_tensor_at_the_places_of_a_sparse_one():
    found = sparse_dense_cwise_add(tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2]), [10.0, 20.0])
    assert tf.sparse.to_dense(found).numpy().tolist() == [[11.0, 0.0], [0.0, 22.0]]


def test_sparse_tensors_from_bytes():
    given = tf.sparse.from_dense([[0, 2], [3, 0]])
    back = sparse_ops.deserialize_sparse(tf.io.serialize_sparse(given), tf.int32, rank=2)
    assert tf.sparse.to_dense(back).numpy().tolist() == [[0, 2], [3, 0]]
    merged = sparse_ops.sparse_merge_impl(given, given, 5)
    assert merged.indices.numpy().tolist() == [[0, 2], [1, 3]] and merged.dense_shape.numpy().tolist() == [2, 5]


def test_sparse_weights():
    given = tf.sparse.from_dense([[0, 2], [3, 0]])
    assert sparse_ops.validate_sparse_weights(given, None, tf.float32).shape == [0]
    assert (
        sparse_ops.validate_sparse_weights(given, tf.sparse.from_dense([[0.0, 5.0], [7.0, 0.0]])).numpy().tolist()
        == [5, 7]
    )
    with pytest.raises(ValueError, match="must be a SparseTensor"):
        sparse_ops.validate_sparse_weights(given, [1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        sparse_ops.validate_sparse_weights(given, tf.sparse.from_dense([[5.0, 0.0], [7.0, 0.0]]))
    assert repr(sparse_ops.KeywordRequired()) == "KeywordRequired()"


def test_sparse_tensors_behind_handles():
    """Handles work in sessions; the names of nodes are TensorFlow's."""
    v1 = tf.compat.v1
    value = v1.SparseTensorValue(np.array([[0, 0], [1, 1]]), np.array([1, 2], np.int32), np.array([2, 3]))
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.sparse_placeholder(tf.int32)
        one = sparse_ops._add_sparse_to_tensors_map(given, shared_name="x")
        taken = sparse_ops._take_many_sparse_from_tensors_map(one.op, tf.stack([one]), rank=3)
        assert session.run(taken, {given: value}).dense_shape.tolist() == [1, 2, 3]
        rows = sparse_ops._add_many_sparse_to_tensors_map(given)
        again = sparse_ops._take_many_sparse_from_tensors_map(rows.op, rows)
        found = session.run(again, {given: value})
        assert (found.indices.tolist(), found.values.tolist()) == ([[0, 0], [1, 1]], [1, 2])
        with pytest.raises(TypeError, match="sparse_map_op must be one of"):
            sparse_ops._take_many_sparse_from_tensors_map(tf.constant(1).op, one)
        with pytest.raises(TypeError, match="sparse_map_op be an Operation"):
            sparse_ops._take_many_sparse_from_tensors_map(3, one)
