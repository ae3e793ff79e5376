"""Layers, losses and digits of `tf.contrib`, against values worked out by hand."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib import contrib

v1 = tf.compat.v1


def test_convolutions_normalised_and_regularised():
    with tf.Graph().as_default(), v1.Session() as session:
        layers, start = contrib.layers, v1.constant_initializer(0.5)
        x = tf.ones([2, 4, 4, 1])
        y = layers.conv2d(x, 3, [2, 2], padding="VALID", weights_initializer=start, scope="conv")
        z = layers.conv2d(x, 1, 1, normalizer_fn=layers.batch_norm, normalizer_params={"is_training": True}, activation_fn=None)
        pooled = layers.avg_pool2d(y, 3, 1)
        penalty = layers.apply_regularization(layers.l2_regularizer(2.0), [v for v in v1.trainable_variables() if v.name == "conv/weights:0"])
        table = layers.embed_sequence(tf.constant([[0, 2]]), 3, 2, initializer=v1.ones_initializer())
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), np.full((2, 3, 3, 3), 2.0))
        np.testing.assert_allclose(session.run(z), np.zeros((2, 4, 4, 1)), atol=1e-3)
        assert session.run(pooled).shape == (2, 1, 1, 3) and session.run(penalty) == pytest.approx(12 * 0.25)
        assert session.run(table).tolist() == [[[1.0, 1.0], [1.0, 1.0]]] and len(v1.get_collection("update_ops")) == 2


def test_a_loss_is_optimised_with_clipped_gradients():
    with tf.Graph().as_default(), v1.Session() as session:
        step, w = v1.train.get_or_create_global_step(), v1.get_variable("w", initializer=3.0)
        loss = contrib.layers.optimize_loss(w * w, step, 0.5, "SGD", clip_gradients=1.0)
        session.run(v1.global_variables_initializer())
        assert session.run(loss) == 9.0 and session.run([w, step]) == [2.5, 1]
        with pytest.raises(ValueError, match="Optimizer name should be one of"):
            contrib.layers.optimize_loss(w * w, step, 0.5, "Best")


def test_the_loss_of_sequences():
    logits = np.log(np.array([[[0.5, 0.5], [0.25, 0.75]]], np.float32))
    targets, weights = np.array([[0, 1]]), np.array([[1.0, 0.5]], np.float32)
    each = np.array([[-np.log(0.5), -np.log(0.75) * 0.5]])
    loss = contrib.seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights))
    np.testing.assert_allclose(loss, each.sum() / 1.5, rtol=1e-5)
    by_time = contrib.seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights), average_across_timesteps=False)
    np.testing.assert_allclose(by_time, each[0] / weights[0], rtol=1e-5)


def test_digits_come_in_batches():
    digits = contrib.learn.datasets.mnist.read_data_sets("MNIST_data", one_hot=True)
    images, labels = digits.train.next_batch(100)
    assert images.shape == (100, 784) and labels.shape == (100, 10) and images.max() <= 1.0
    assert digits.validation.num_examples == 500 and digits.test.num_examples > 0
    for _ in range(digits.validation.num_examples // 100 + 1):
        digits.validation.next_batch(100, shuffle=False)
    assert digits.validation.epochs_completed == 1


def test_other_parts_are_today_s_functions():
    assert contrib.eager.Variable is tf.Variable and contrib.eager.defun is tf.function
    assert contrib.data.AUTOTUNE == tf.data.AUTOTUNE and contrib.lookup.HashTable is tf.lookup.StaticHashTable
    assert contrib.framework.get_or_create_global_step is v1.train.get_or_create_global_step
    with pytest.raises(AttributeError, match="the modern form is the package tensorflow_addons"):
        contrib.crf  # noqa: B018
