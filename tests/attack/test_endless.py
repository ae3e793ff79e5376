"""Calls of the long attack that did not end, or ended with an error of Python's own."""

import numpy as np
import pytest

import reflow as tf

BAD = np.array([[1.0, 2.0], [-np.inf, 1.6], [1.0, np.nan]], np.float32)


def test_decompositions_of_infinite_numbers_end():
    for part in tf.linalg.svd(np.stack([BAD, np.ones([3, 2], np.float32)])):
        assert np.isnan(part[0]).all() and np.isfinite(part[1]).all()
    assert np.isnan(tf.linalg.svd(BAD, compute_uv=False)).all()
    assert np.isnan(tf.linalg.sqrtm(BAD[:2])).all()


@pytest.mark.parametrize("op", ["CudnnRNNParamsToCanonical", "CudnnRNNParamsToCanonicalV2"])
def test_a_billion_layers_are_refused_at_once(op):
    counts = (
        {"num_params": 12} if op == "CudnnRNNParamsToCanonical" else {"num_params_weights": 12, "num_params_biases": 12}
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Number of params mismatch"):
        getattr(tf.raw_ops, op)(
            num_layers=2**31 - 1, num_units=2, input_size=3, params=tf.zeros([78]), rnn_mode="gru", **counts
        )


def test_wide_ngrams_take_no_longer_than_their_text():
    found = tf.strings.ngrams(tf.ragged.constant([["a", "b", "c", "d"]]), (2, 3), separator="--")
    assert found.to_list() == [[b"a--b", b"b--c", b"c--d", b"a--b--c", b"b--c--d"]]
    assert tf.raw_ops.StringNGrams(
        data=["a"], data_splits=[0, 1], separator="", ngram_widths=[20_000], left_pad="<", right_pad=">", pad_width=-1,
        preserve_short_sequences=False,
    )[0].shape == [20_000]  # fmt: skip


def test_strings_are_padded_with_empty_ones():
    x = tf.constant([[b"a", b"b"]])
    grad = tf.raw_ops.StridedSliceGrad(shape=[2, 3], begin=[1, 0], end=[2, 2], strides=[1, 1], dy=x)
    assert grad.numpy().tolist() == [[b"", b"", b""], [b"a", b"b", b""]]


def test_an_order_of_other_columns_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid length for input_order"):
        tf.raw_ops.RaggedCross(
            ragged_values=[tf.constant([1, 2], tf.int64)], ragged_row_splits=[tf.constant([0, 2], tf.int64)],
            sparse_indices=[], sparse_values=[], sparse_shape=[], dense_inputs=[], input_order="DR", hashed_output=True,
            num_buckets=9, hash_key=7, out_values_type=tf.int64, out_row_splits_type=tf.int64,
        )


def test_compiled_decompositions_of_infinite_numbers_end():
    function = tf.function(tf.linalg.svd, jit_compile=True)
    for part in function(np.stack([BAD, np.ones([3, 2], np.float32)])):
        assert np.isnan(part[0]).all() and np.isfinite(part[1]).all()


def test_a_crossing_of_billions_of_empty_rows_takes_no_longer_than_the_others():
    parts = {"indices": [[[0, 0], [5, 0]]], "values": [["a", "b"]], "shapes": [[2**31 - 1, 2]], "dense_inputs": []}
    found = tf.raw_ops.SparseCrossHashed(num_buckets=1000, strong_hash=False, salt=[1, 2], **parts)
    assert found.output_indices.numpy().tolist() == [[0, 0], [5, 0]]
    assert found.output_shape.numpy().tolist() == [2**31 - 1, 1]


def test_padding_takes_no_memory_before_it_is_read():
    found = tf.raw_ops.DecodePaddedRaw(input_bytes=["abc", "d"], fixed_length=2**31 - 1, out_type=tf.uint8)
    assert found.shape == [2, 2**31 - 1] and found[:, :4].numpy().tolist() == [[97, 98, 99, 0], [100, 0, 0, 0]]


def test_nothing_repeated_billions_of_times_compiles():
    function = tf.function(tf.tile, jit_compile=True)
    assert function(tf.zeros([1, 0, 3]), tf.constant([2**31 - 1] * 3)).shape == [2**31 - 1, 0, 3 * (2**31 - 1)]
