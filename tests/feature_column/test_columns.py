"""Columns of one's own, their dictionaries, sequences, and embeddings that start from a checkpoint.

What every kind of column computes is compared with TensorFlow in `tests/compat/programs/feature_columns.py`.
"""

import json

import numpy as np
import pytest

import reflow as tf
from reflow.feature_column import serialization
from reflow.feature_column.base import DenseColumn, FeatureTransformationCache

fc = tf.feature_column


def test_a_column_of_ones_own():
    class Doubled(DenseColumn):
        name, parents, parse_example_spec, variable_shape = "doubled", ["x"], {}, tf.TensorShape([1])

        def transform_feature(self, transformation_cache, state_manager):
            return transformation_cache.get("x", state_manager) * 2.0

        def get_dense_tensor(self, transformation_cache, state_manager):
            return transformation_cache.get(self, state_manager)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        out = tf.compat.v1.feature_column.input_layer({"x": tf.constant([1.0, 2.0])}, [Doubled()])
        assert session.run(out).tolist() == [[2.0], [4.0]]


def columns():
    price = fc.numeric_column("price", shape=2, default_value=[1.0, 2.0])
    ids = fc.sequence_categorical_column_with_identity("ids", 5)
    words = fc.categorical_column_with_vocabulary_list("words", ["a", "b"], num_oov_buckets=1)
    weighted = fc.weighted_categorical_column(fc.categorical_column_with_hash_bucket("h", 9), "w")
    crossed = fc.crossed_column([fc.bucketized_column(fc.numeric_column("age"), [1, 2]), "words"], 10)
    return [price, fc.indicator_column(crossed), fc.embedding_column(ids, 3), fc.embedding_column(words, 2), weighted]


def test_dictionaries_and_back():
    """Also through JSON, which has no tuples."""
    saved = serialization.serialize_feature_columns(columns())
    again = serialization.deserialize_feature_columns(json.loads(json.dumps(saved)))
    assert [c.name for c in again] == [c.name for c in columns()]
    assert serialization.serialize_feature_columns(again) == saved
    with pytest.raises(ValueError, match="Unknown feature_column_v2: Nothing"):
        serialization.deserialize_feature_column({"class_name": "Nothing", "config": {}})
    with pytest.raises(ValueError, match="Invalid config"):
        serialization.deserialize_feature_column({"class_name": "IndicatorColumn", "config": {}})


def test_sequences():
    cache = FeatureTransformationCache(
        {
            "words": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["a", "b", "c"], [3, 2]),
            "steps": tf.SparseTensor([[0, 0], [0, 1], [0, 2], [0, 3], [2, 0], [2, 1]], [1.0, 2, 3, 4, 5, 6], [3, 4]),
        }
    )
    words = fc.indicator_column(fc.sequence_categorical_column_with_vocabulary_list("words", ["a", "b", "c"]))
    numbers, lengths = words.get_sequence_dense_tensor(cache, None)
    assert numbers.numpy().argmax(-1).tolist() == [[0, 1], [0, 0], [2, 0]] and lengths.numpy().tolist() == [2, 0, 1]
    assert float(tf.reduce_sum(numbers)) == 3.0
    steps = fc.sequence_numeric_column("steps", shape=2, default_value=-1.0)
    numbers, lengths = steps.get_sequence_dense_tensor(cache, None)
    assert numbers.numpy().tolist() == [[[1.0, 2.0], [3.0, 4.0]], [[-1.0, -1.0]] * 2, [[5.0, 6.0], [-1.0, -1.0]]]
    assert lengths.numpy().tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match="must not be of type SequenceCategoricalColumn"):
        words.get_dense_tensor(cache, None)


def test_an_embedding_from_a_checkpoint(tmp_path):
    table = np.arange(10.0, dtype=np.float32).reshape(5, 2)
    path = tf.train.Checkpoint(table=tf.Variable(table)).write(str(tmp_path / "ckpt"))
    name = "table/.ATTRIBUTES/VARIABLE_VALUE"
    ids = fc.categorical_column_with_identity("ids", 5)
    column = fc.embedding_column(ids, 2, ckpt_to_load_from=path, tensor_name_in_ckpt=name)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        out = tf.compat.v1.feature_column.input_layer({"ids": tf.constant([[3], [1]])}, [column])
        session.run(tf.compat.v1.global_variables_initializer())
        np.testing.assert_array_equal(session.run(out), table[[3, 1]])


def test_examples_are_parsed_by_the_columns():
    example = tf.train.Example()
    example.features.feature["words"].bytes_list.value.extend([b"b", b"z"])
    chosen = [columns()[0], columns()[3]]
    parsed = tf.io.parse_example([example.SerializeToString()], fc.make_parse_example_spec(chosen))
    assert parsed["price"].numpy().tolist() == [[1.0, 2.0]] and parsed["words"].values.numpy().tolist() == [b"b", b"z"]
