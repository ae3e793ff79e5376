"""Sparse tensors as rows of variants."""

import pytest

import reflow as tf

SPARSE = {
    "sparse_indices": tf.constant([[0, 1], [1, 0]], tf.int64),
    "sparse_values": [1.0, 2.0],
    "sparse_shape": tf.constant([2, 3], tf.int64),
}


def test_rows_of_variants_are_read_again():
    rows = tf.raw_ops.SerializeManySparse(out_type=tf.variant, **SPARSE)
    assert rows.shape == (2, 3) and rows.dtype is tf.variant
    indices, values, shape = tf.raw_ops.DeserializeSparse(serialized_sparse=rows, dtype=tf.float32)
    assert (
        indices.numpy().tolist() == [[0, 1], [1, 0]]
        and values.numpy().tolist() == [1.0, 2.0]
        and shape.numpy().tolist() == [2, 3]
    )


def test_parts_of_no_sparse_tensor():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input indices should be a matrix"):
        tf.raw_ops.SerializeSparse(**SPARSE | {"sparse_indices": tf.constant([1], tf.int64)})


def test_variants_are_sliced_and_joined_as_strings_are():
    rows = tf.raw_ops.SerializeManySparse(out_type=tf.variant, **SPARSE)
    indices, values, shape = tf.raw_ops.DeserializeSparse(
        serialized_sparse=tf.stack([rows[1], rows[0]]), dtype=tf.float32
    )
    assert (
        indices.numpy().tolist() == [[0, 0], [1, 1]]
        and values.numpy().tolist() == [2.0, 1.0]
        and shape.numpy().tolist() == [2, 3]
    )
    ragged = tf.ragged.constant([[1, 2], [], [3]])
    rows = tf.raw_ops.RaggedTensorToVariant(
        rt_nested_splits=ragged.nested_row_splits, rt_dense_values=ragged.flat_values, batched_input=True
    )
    assert rows.shape == (3,) and rows.dtype is tf.variant and rows[0].dtype is tf.variant
    (values,) = tf.raw_ops.RaggedTensorFromVariant(
        encoded_ragged=rows[0], input_ragged_rank=0, output_ragged_rank=0, Tvalues=tf.int32, Tsplits=tf.int64
    )[1:]
    assert values.numpy().tolist() == [1, 2]


def test_variants_are_printed_and_zeroed():
    ragged = tf.ragged.constant([[1, 2], [3]])
    parts = {"rt_nested_splits": ragged.nested_row_splits, "rt_dense_values": ragged.flat_values}
    whole = tf.raw_ops.RaggedTensorToVariant(batched_input=False, **parts)
    text = "<RaggedTensorVariant(dtype=int32, ragged_rank=1, splits_dtype=int64>"
    assert repr(whole) == f"<tf.Tensor: shape=(), dtype=variant, value={text}>"
    kinds = {"input_ragged_rank": 1, "output_ragged_rank": 1, "Tvalues": tf.int32, "Tsplits": tf.int64}
    splits, values = tf.raw_ops.RaggedTensorFromVariant(encoded_ragged=tf.zeros_like(whole), **kinds)
    assert splits[0].numpy().tolist() == [0, 2, 3] and values.numpy().tolist() == [0, 0, 0]
    rows = tf.raw_ops.RaggedTensorToVariant(batched_input=True, **parts)
    text = "<RaggedTensorVariant(dtype=int32, ragged_rank=0, splits_dtype=INVALID>"
    assert str(rows) == f"tf.Tensor([{text} {text}], shape=(2,), dtype=variant)"
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="ZerosLike non-scalar Tensor with dtype=DT_VARIANT is not supported"
    ):
        tf.zeros_like(rows)
