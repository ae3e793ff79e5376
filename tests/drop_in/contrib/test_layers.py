"""Layers of `tf.contrib`, against values worked out by hand."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


def test_convolutions_normalised_and_regularised():
    with tf.Graph().as_default(), v1.Session() as session:
        layers, start = contrib.layers, v1.constant_initializer(0.5)
        x = tf.ones([2, 4, 4, 1])
        y = layers.conv2d(x, 3, [2, 2], padding="VALID", weights_initializer=start, scope="conv")
        z = layers.conv2d(
            x, 1, 1, normalizer_fn=layers.batch_norm, normalizer_params={"is_training": True}, activation_fn=None
        )
        pooled = layers.avg_pool2d(y, 3, 1)
        penalty = layers.apply_regularization(
            layers.l2_regularizer(2.0), [v for v in v1.trainable_variables() if v.name == "conv/weights:0"]
        )
        table = layers.embed_sequence(tf.constant([[0, 2]]), 3, 2, initializer=v1.ones_initializer())
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), np.full((2, 3, 3, 3), 2.0))
        np.testing.assert_allclose(session.run(z), np.zeros((2, 4, 4, 1)), atol=1e-3)
        assert session.run(pooled).shape == (2, 1, 1, 3) and session.run(penalty) == pytest.approx(12 * 0.25)
        assert session.run(table).tolist() == [[[1.0, 1.0], [1.0, 1.0]]] and len(v1.get_collection("update_ops")) == 2


def test_normalization_of_examples_and_channels():
    with tf.Graph().as_default(), v1.Session() as session:
        x = np.array([[1.0, 3.0], [2.0, 6.0]], np.float32)
        y = contrib.layers.layer_norm(x, begin_norm_axis=-1, begin_params_axis=-1, scope="norm")
        z = contrib.layers.instance_norm(tf.constant(x.reshape(1, 2, 2, 1)), center=False, scale=False)
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), [[-1.0, 1.0], [-1.0, 1.0]], atol=1e-5)
        np.testing.assert_allclose(session.run(z).ravel(), (x.ravel() - 3.0) / np.sqrt(3.5), rtol=1e-4)
        assert [v.name for v in contrib.framework.get_model_variables("norm")] == ["norm/beta:0", "norm/gamma:0"]
        with pytest.raises(ValueError, match="must be < rank"):
            contrib.layers.layer_norm(x, begin_norm_axis=2)


def test_collections_get_variables_and_outputs():
    with tf.Graph().as_default():
        y = contrib.layers.conv2d(
            tf.ones([1, 4, 4, 1]), 2, 3, variables_collections={"weights": ["w"], "biases": ["b"]},
            outputs_collections="out", scope="c",
        )
        assert (
            [v.name for v in v1.get_collection("w")] == ["c/weights:0"]
            and [v.name for v in v1.get_collection("b")] == ["c/biases:0"]
        )
        assert v1.get_collection("out") == [y]
        contrib.layers.conv2d(tf.ones([1, 4, 4, 1]), 2, 3, scope="c", reuse=True)
        assert len(v1.get_collection(v1.GraphKeys.MODEL_VARIABLES)) == 2
        with pytest.raises(ValueError, match="Convolution expects input with rank 4, got 3"):
            contrib.layers.conv2d(tf.ones([1, 4, 4]), 2, 3)


def test_layers_one_after_the_other():
    with tf.Graph().as_default(), v1.Session() as session:
        ones = v1.ones_initializer()
        y = contrib.layers.stack(
            tf.ones([1, 2]), contrib.layers.fully_connected, [3, 1], weights_initializer=ones, scope="fc"
        )
        z = contrib.layers.repeat(
            tf.ones([1, 2]), 2, contrib.layers.fully_connected, 2, weights_initializer=ones, scope="r"
        )
        d = contrib.layers.separable_conv2d(
            tf.ones([1, 2, 2, 3]), None, 2, depth_multiplier=1, padding="VALID", weights_initializer=ones
        )
        u = contrib.layers.unit_norm(tf.constant([[3.0, 4.0]]), 1)
        session.run(v1.global_variables_initializer())
        assert session.run(y).tolist() == [[6.0]] and session.run(z).tolist() == [[4.0, 4.0]]
        assert session.run(d).tolist() == [[[[4.0, 4.0, 4.0]]]]
        np.testing.assert_allclose(session.run(u), [[0.6, 0.8]], rtol=1e-5)
        names = [v.op.name for v in v1.trainable_variables() if "weights" in v.op.name]
        assert names == [
            "fc/fc_1/weights", "fc/fc_2/weights", "r/r_1/weights", "r/r_2/weights", "SeparableConv2d/depthwise_weights"
        ]
