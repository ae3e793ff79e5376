"""Tests for sparse tensors."""

import reflow as tf
from reflow.drop_in.python.framework.sparse_tensor import is_sparse


def test_is_sparse():
    sparse = tf.sparse.from_dense([0, 1])
    assert is_sparse(sparse) and is_sparse(tf.compat.v1.SparseTensorValue([[0]], [1], [2])) and not is_sparse([0, 1])
