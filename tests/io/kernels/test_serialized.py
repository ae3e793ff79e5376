"""Sparse tensors as rows of variants."""

import pytest

import reflow as tf

SPARSE = {"sparse_indices": tf.constant([[0, 1], [1, 0]], tf.int64), "sparse_values": [1.0, 2.0], "sparse_shape": tf.constant([2, 3], tf.int64)}


def test_rows_of_variants_are_read_again():
    rows = tf.raw_ops.SerializeManySparse(out_type=tf.variant, **SPARSE)
    assert rows.shape == (2, 3) and rows.dtype is tf.variant
    indices, values, shape = tf.raw_ops.DeserializeSparse(serialized_sparse=rows, dtype=tf.float32)
    assert indices.numpy().tolist() == [[0, 1], [1, 0]] and values.numpy().tolist() == [1.0, 2.0] and shape.numpy().tolist() == [2, 3]


def test_parts_of_no_sparse_tensor():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input indices should be a matrix"):
        tf.raw_ops.SerializeSparse(**SPARSE | {"sparse_indices": tf.constant([1], tf.int64)})
