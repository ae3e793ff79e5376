"""Embedding columns for TPUs, on the host: what `tf.feature_column` computes, and what the tables of a TPU ask."""

import pytest

import reflow as tf

experimental = tf.compat.v1.tpu.experimental
column = tf.feature_column


def test_on_the_host_they_are_plain_columns():
    ids = column.categorical_column_with_identity("ids", 4)
    weighted = column.weighted_categorical_column(ids, "weights")
    start = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    plain = experimental.embedding_column(
        weighted, 2, combiner="sum", initializer=start, learning_rate_fn=lambda step: 0.5
    )
    features = {"ids": tf.constant([[0, 1], [3, 3]], tf.int64), "weights": tf.constant([[1.0, 2.0], [1.0, 0.5]])}
    numbers = tf.compat.v1.keras.layers.DenseFeatures([plain])(features)
    assert numbers.numpy().tolist() == [[7.0, 10.0], [10.5, 12.0]]
    assert (plain.get_embedding_table_size(), plain.get_embedding_var_name(), plain.get_combiner()) == (
        (4, 2), "ids_weighted_by_weights", "sum"
    )
    assert (
        (plain.get_feature_key_name(), plain.get_weight_key_name(), plain.get_learning_rate_fn()(1))
        == ("ids", "weights", 0.5)
    )
    assert plain.get_initializer() is start and not plain.is_sequence_column()


def test_columns_that_share_a_table():
    with tf.Graph().as_default():
        a, b = (column.categorical_column_with_identity(k, 3) for k in "ab")
        shared = experimental.shared_embedding_columns([b, a], 2, initializer=tf.compat.v1.ones_initializer())
        numbers = tf.compat.v1.keras.layers.DenseFeatures(shared)({"a": tf.constant([[0]]), "b": tf.constant([[2]])})
        assert len(tf.compat.v1.global_variables()) == 1 and numbers.shape == [1, 4]
    assert (
        {c.get_embedding_var_name() for c in shared} == {"a_b_shared_embedding"}
        and shared[0].get_embedding_table_size() == (3, 2)
    )


def test_sequences_have_a_length():
    words = column.sequence_categorical_column_with_identity("words", 3)
    sequence = experimental.embedding_column(words, 2, max_sequence_length=5)
    assert (
        sequence.get_max_sequence_length() == 5
        and sequence.get_sequence_length_feature_key_name() == "words_seq_length_"
    )


WORDS = column.sequence_categorical_column_with_identity("words", 3)
IDS = column.categorical_column_with_identity("ids", 4)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"categorical_column": column.numeric_column("x")}, TypeError, "must be type CategoricalColumn"),
        ({"dimension": 0}, ValueError, "Invalid dimension 0"),
        ({"initializer": 1.0}, ValueError, "initializer must be callable if specified. Embedding of column_name: ids"),
        ({"tensor_core_shape": [1]}, ValueError, "tensor_core_shape must be size 2"),
        ({"embedding_lookup_device": "gpu"}, ValueError, "must be in .'cpu'"),
        ({"embedding_lookup_device": "tpu_tensor_core"}, ValueError, "requires tensor_core_shape"),
        ({"max_sequence_length": 2}, ValueError, "Non zero max_seq_length=2 specified for non sequence column ids"),
        ({"categorical_column": WORDS}, ValueError, "must be greater than 0 for sequence columns"),
        (
            {"categorical_column": WORDS, "embedding_lookup_device": "tpu_tensor_core", "tensor_core_shape": [1, 2]},
            ValueError, "not support",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        experimental.embedding_column(**{"categorical_column": IDS, "dimension": 2} | arguments)


def test_a_lookup_on_the_cpu_is_for_serving():
    made = experimental.embedding_column(IDS, 2, embedding_lookup_device="cpu")
    with pytest.raises(ValueError, match="during training is not supported"):
        tf.compat.v1.keras.layers.DenseFeatures([made])({"ids": tf.constant([[0]])})
