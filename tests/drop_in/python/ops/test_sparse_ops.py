"""Sums at the places of a sparse tensor."""

import reflow as tf
from reflow.drop_in.python.ops.sparse_ops import sparse_dense_cwise_add


def test_a_dense_tensor_at_the_places_of_a_sparse_one():
    found = sparse_dense_cwise_add(tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2]), [10.0, 20.0])
    assert tf.sparse.to_dense(found).numpy().tolist() == [[11.0, 0.0], [0.0, 22.0]]
