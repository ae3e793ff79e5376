"""Feature columns under their first names."""

import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


def test_columns_feed_layers():
    layers = contrib.layers
    word = layers.sparse_column_with_keys("word", ["a", "b"])
    hashed = layers.sparse_column_with_hash_bucket("word", 10)
    age = layers.real_valued_column("age")
    bucket = layers.bucketized_column(age, [1.0, 2.0])
    with tf.Graph().as_default(), v1.Session() as session:
        features = {"word": tf.constant([["b"], ["a"]]), "age": tf.constant([[0.5], [1.5]])}
        dense = layers.input_from_feature_columns(features, [layers.one_hot_column(word), age, bucket])
        out, variables, bias = layers.weighted_sum_from_feature_columns(
            features, [layers.crossed_column([hashed, bucket], 100), word], 1
        )
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        assert session.run(dense).tolist() == [[0.5, 1, 0, 0, 0, 1], [1.5, 0, 1, 0, 1, 0]]
        assert session.run(out).tolist() == [[0.0], [0.0]] and len(variables) == 2 and bias.shape == [1]
    assert set(layers.create_feature_spec_for_parsing([hashed, age])) == {"word", "age"}


def test_what_is_not_there_raises():
    with pytest.raises(ValueError, match="give a combiner to the model"):
        contrib.layers.sparse_column_with_keys("word", ["a"], combiner="mean")
    with pytest.raises(ValueError, match="dimension must be a number"):
        contrib.layers.real_valued_column("x", dimension=None)
