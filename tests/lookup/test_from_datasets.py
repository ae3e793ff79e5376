"""Lookup tables filled by datasets."""

import pytest

import reflow as tf

D = tf.data.Dataset
words = D.from_tensor_slices(["a", "b", "c"])


def test_positions_of_words_and_buckets_for_others():
    table = tf.data.experimental.index_table_from_dataset(words, num_oov_buckets=2)
    known, other = table.lookup(tf.constant(["c", "z"])).numpy().tolist()
    assert known == 2 and other in (3, 4)
    with pytest.raises(tf.errors.FailedPreconditionError, match="expected to contain 9 elements"):
        tf.data.experimental.index_table_from_dataset(words, vocab_size=9)


@pytest.mark.parametrize(
    ("dataset", "arguments", "error", "text"),
    [
        (words, {}, ValueError, "1 components instead of two"),
        (D.zip(words, words.batch(1)), {"default_value": ""}, ValueError, "non-scalar value Tensors of rank 1"),
        (D.zip(words, words), {}, ValueError, "`default_value` must be specified"),
        (D.zip(words, D.range(3)), {"num_oov_buckets": -1}, ValueError, "`num_oov_buckets` must be"),
        (D.zip(words, D.range(3)), {"vocab_size": 0}, ValueError, "`vocab_size` must be"),
        (D.zip(words, D.range(3)), {"key_dtype": tf.float32}, TypeError, "`key_dtype` must be"),
    ],
)
def test_what_cannot_be(dataset, arguments, error, text):
    with pytest.raises(error, match=text):
        tf.data.experimental.table_from_dataset(dataset, **arguments)
