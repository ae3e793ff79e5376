"""`tf.contrib`: what has a successor, and what is said about the rest."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib import contrib

v1 = tf.compat.v1


def test_layers_of_contrib():
    with tf.Graph().as_default(), v1.Session() as session:
        layers = contrib.layers
        x = tf.constant([[1.0, -2.0]])
        start = v1.constant_initializer(0.5)
        y = layers.fully_connected(x, 3, weights_initializer=start, weights_regularizer=layers.l2_regularizer(0.1), scope="a")
        z = layers.linear(layers.flatten(tf.ones([1, 2, 2])), 2, weights_initializer=start)
        dropped = layers.dropout(x, keep_prob=0.5, is_training=False)
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), [[0.0, 0.0, 0.0]])
        np.testing.assert_allclose(session.run(z), [[2.0, 2.0]])
        np.testing.assert_allclose(session.run(dropped), [[1.0, -2.0]])
        np.testing.assert_allclose(session.run(v1.losses.get_regularization_losses()), [0.1 * 6 * 0.25 / 2])
        np.testing.assert_allclose(session.run(layers.l1_regularizer(2.0)(x)), 6.0)
        assert [v.name for v in v1.trainable_variables()][:2] == ["a/kernel:0", "a/bias:0"]


def test_what_is_not_there_names_its_modern_form():
    with pytest.raises(AttributeError, match="tf.contrib.slim; the modern form is the package tf_slim"):
        contrib.slim  # noqa: B018
    with pytest.raises(AttributeError, match="tf.contrib.layers.bow_encoder"):
        contrib.layers.bow_encoder  # noqa: B018
    assert contrib.rnn.LSTMCell is v1.nn.rnn_cell.LSTMCell
