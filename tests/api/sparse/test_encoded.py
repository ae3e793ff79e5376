"""Specs of sparse tensors encode values as variants, as TensorFlow's do."""

import pytest

import reflow as tf


@pytest.mark.parametrize("shape", [[2, 2], [2, None], None])
def test_values_as_variants(shape):
    spec, value = tf.SparseTensorSpec(shape, tf.int32), tf.sparse.from_dense([[1, 0], [0, 2]])
    assert spec._flat_tensor_specs == [tf.TensorSpec(None, tf.variant)]
    (encoded,) = spec._to_tensor_list(value)
    assert encoded.shape == [3] and encoded.dtype == tf.variant
    assert tf.sparse.to_dense(spec._from_tensor_list([encoded])).numpy().tolist() == [[1, 0], [0, 2]]


def test_rows_as_variants():
    spec = tf.SparseTensorSpec([2, None], tf.int32)
    (encoded,) = spec._to_batched_tensor_list(tf.sparse.from_dense([[1, 0], [0, 2]]))
    assert encoded.shape == [2, 3]
    assert tf.sparse.to_dense(spec._unbatch()._from_tensor_list([encoded[1]])).numpy().tolist() == [0, 2]


def test_what_is_refused():
    spec = tf.SparseTensorSpec([2, 2], tf.int32)
    text = "Cannot create a SparseTensor from the tensor list because the TypeSpec expects 1 items, but the provided"
    with pytest.raises(ValueError, match=text):
        spec._from_tensor_list([1, 2, 3])
    scalar = tf.SparseTensor(tf.zeros([0, 0], tf.int64), tf.zeros([0], tf.int32), tf.zeros([0], tf.int64))
    with pytest.raises(ValueError, match="Unbatching a sparse tensor is only supported for rank >= 1"):
        tf.SparseTensorSpec([], tf.int32)._to_batched_tensor_list(scalar)


def test_functions_know_the_shape_of_what_they_decode():
    spec = tf.SparseTensorSpec([2, 2], tf.int32)

    @tf.function
    def decoded(value):
        found = spec._from_tensor_list(spec._to_tensor_list(value))
        assert found.shape == [2, 2]
        return found.values

    assert decoded(tf.sparse.from_dense([[1, 0], [0, 2]])).numpy().tolist() == [1, 2]
