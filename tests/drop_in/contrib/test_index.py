"""`tf.contrib`: what has a successor, and what is said about the rest."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


def test_layers_of_contrib():
    with tf.Graph().as_default(), v1.Session() as session:
        layers = contrib.layers
        x = tf.constant([[1.0, -2.0]])
        start = v1.constant_initializer(0.5)
        y = layers.fully_connected(
            x, 3, weights_initializer=start, weights_regularizer=layers.l2_regularizer(0.1), scope="a"
        )
        z = layers.linear(layers.flatten(tf.ones([1, 2, 2])), 2, weights_initializer=start)
        dropped = layers.dropout(x, keep_prob=0.5, is_training=False)
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), [[0.0, 0.0, 0.0]])
        np.testing.assert_allclose(session.run(z), [[2.0, 2.0]])
        np.testing.assert_allclose(session.run(dropped), [[1.0, -2.0]])
        np.testing.assert_allclose(session.run(v1.losses.get_regularization_losses()), [0.1 * 6 * 0.25 / 2])
        np.testing.assert_allclose(session.run(layers.l1_regularizer(2.0)(x)), 6.0)
        assert [v.name for v in v1.trainable_variables()][:2] == ["a/weights:0", "a/biases:0"]


def test_what_is_not_there_names_its_modern_form():
    with pytest.raises(
        AttributeError, match="tf.contrib.slim; the modern form is the package tf_slim: `pip install tf_slim`"
    ):
        contrib.slim  # noqa: B018
    with pytest.raises(AttributeError, match="tf.contrib.layers.bow_encoder"):
        contrib.layers.bow_encoder  # noqa: B018
    assert contrib.rnn.LSTMCell is v1.nn.rnn_cell.LSTMCell


def test_moving_averages_without_a_collection_move_with_the_result():
    with tf.Graph().as_default(), v1.Session() as session:
        layers = contrib.layers
        options = {"updates_collections": None, "decay": 0.5}
        y = layers.conv2d(tf.ones([1, 4, 4, 1]), 2, 3, normalizer_fn=layers.batch_norm, normalizer_params=options)
        assert v1.get_collection(v1.GraphKeys.UPDATE_OPS) == []
        names = {v.name: v for v in v1.global_variables()}
        assert list(names) == [
            "Conv/weights:0", *(f"Conv/BatchNorm/{n}:0" for n in ("beta", "moving_mean", "moving_variance"))
        ]
        session.run(v1.global_variables_initializer())
        session.run(y)
        assert (session.run(names["Conv/BatchNorm/moving_variance:0"]) != 1.0).all()


def test_decoding_over_lists():
    with tf.Graph().as_default(), v1.Session() as session:
        cell, steps = contrib.rnn.BasicRNNCell(3), [tf.ones([2, 4])] * 3
        outputs, _ = contrib.legacy_seq2seq.tied_rnn_seq2seq(steps, steps, cell)
        expected, _ = v1.nn.static_rnn(cell, steps * 2, dtype=tf.float32)
        loss = contrib.legacy_seq2seq.sequence_loss(outputs, [tf.constant([0, 1])] * 3, [tf.constant([1.0, 0.0])] * 3)
        session.run(v1.global_variables_initializer())
        found, wanted, cost = session.run([outputs[-1], expected[-1], loss])
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        logits = session.run(outputs)
        by_hand = np.mean([np.log(np.exp(o[0]).sum()) - o[0, 0] for o in logits]) / 2
        np.testing.assert_allclose(cost, by_hand, rtol=1e-5)


def test_the_loss_of_sequences():
    logits = np.log(np.array([[[0.5, 0.5], [0.25, 0.75]]], np.float32))
    targets, weights = np.array([[0, 1]]), np.array([[1.0, 0.5]], np.float32)
    each = np.array([[-np.log(0.5), -np.log(0.75) * 0.5]])
    loss = contrib.seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights))
    np.testing.assert_allclose(loss, each.sum() / 1.5, rtol=1e-5)
    by_time = contrib.seq2seq.sequence_loss(
        tf.constant(logits), tf.constant(targets), tf.constant(weights), average_across_timesteps=False
    )
    np.testing.assert_allclose(by_time, each[0] / weights[0], rtol=1e-5)


def test_other_parts_are_today_s_functions():
    assert contrib.eager.Variable is tf.Variable and contrib.eager.defun is tf.function
    assert contrib.data.AUTOTUNE == tf.data.AUTOTUNE and contrib.lookup.HashTable is tf.lookup.StaticHashTable
    assert contrib.framework.get_or_create_global_step is v1.train.get_or_create_global_step
    with pytest.raises(AttributeError, match="tf.contrib.sparsemax; the modern form is the package tensorflow_addons"):
        contrib.sparsemax  # noqa: B018
    assert contrib.linalg.LinearOperatorTriL is tf.linalg.LinearOperatorLowerTriangular
    assert contrib.distributions.Normal is v1.distributions.Normal and contrib.training.HParams(a=1).a == 1
    table = contrib.lookup.string_to_index_table_from_tensor(tf.constant(["a", "b"]))
    assert table.lookup(tf.constant(["b"])).numpy().tolist() == [1]


def test_files_of_parts_are_the_parts():
    run_config = contrib.learn.python.learn.estimators.run_config
    assert run_config.RunConfig is contrib.learn.RunConfig
    assert contrib.learn.python.learn.learn_runner is contrib.learn.learn_runner
    assert contrib.rnn.python.ops.core_rnn_cell.LSTMCell is contrib.rnn.LSTMCell
    with pytest.raises(AttributeError, match="Reflow has no tf.contrib.rnn._linear"):
        contrib.rnn.python.ops.core_rnn_cell._linear  # noqa: B018
