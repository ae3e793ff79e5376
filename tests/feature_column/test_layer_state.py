"""`tf.__internal__.feature_column.StateManager`, with a layer that makes weights as those of Keras 2 do."""

import pytest

import reflow as tf

fc, v1 = tf.feature_column, tf.compat.v1
StateManager = tf.__internal__.feature_column.StateManager


class Layer(tf.__internal__.tracking.AutoTrackable):
    def add_weight(self, name, shape, dtype=None, initializer=None, trainable=True, use_resource=None, getter=None):
        variable = getter(name, shape, dtype, initializer, trainable=trainable, use_resource=use_resource)
        trackable = isinstance(variable, tf.__internal__.tracking.Trackable)
        return self._track_trackable(variable, name) if trackable else variable


def column():
    return fc.embedding_column(fc.categorical_column_with_vocabulary_list("word", ["a", "b"]), 3)


def test_variables_and_tables_are_children_of_the_layer():
    layer, embedding = Layer(), column()
    state = StateManager(layer, False)
    embedding.create_state(state)
    weights = state.get_variable(embedding, "embedding_weights")
    assert weights.shape == (2, 3) and not weights.trainable
    with pytest.raises(ValueError, match="Variable already exists"):
        embedding.create_state(state)
    with pytest.raises(ValueError, match="Variable does not exist"):
        state.get_variable(embedding, "other")
    cache = tf.__internal__.feature_column.FeatureTransformationCache({"word": tf.constant([["b"]])})
    found = embedding.get_dense_tensor(cache, state)
    assert found.numpy().tolist() == weights.numpy()[1:].tolist()
    children = layer._trackable_children()
    assert children["word_embedding/embedding_weights"] is weights and "embedding_weights" not in children
    categories = embedding.categorical_column
    if state.has_resource(categories, "lookup_table"):
        assert layer._resources[categories.name]["lookup_table"] is state.get_resource(categories, "lookup_table")


def test_each_part_of_a_partitioned_variable_is_a_child():
    layer, embedding = Layer(), column()
    with tf.Graph().as_default(), v1.variable_scope("s", partitioner=v1.fixed_size_partitioner(2)):
        embedding.create_state(StateManager(layer, True))
        children = layer._trackable_children()
    assert {name for name in children if "/" in name} == {f"word_embedding/embedding_weights/{i}" for i in (0, 1)}


def test_without_a_layer_it_keeps_resources():
    state, price = StateManager(None, True), fc.numeric_column("price")
    state.add_resource(price, "table", 3)
    assert state.has_resource(price, "table") and state.get_resource(price, "table") == 3
    with pytest.raises(ValueError, match="Resource does not exist"):
        state.get_resource(price, "other")
