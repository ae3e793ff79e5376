"""Models of version 1 in layers of version 2: named variables that are found again, and random numbers that agree."""

import numpy as np
import pytest

import reflow as tf

v1 = tf.compat.v1
utils = v1.keras.utils


class Old(tf.keras.layers.Layer):
    @utils.track_tf1_style_variables
    def call(self, x, training=False):
        with v1.variable_scope("net", regularizer=lambda w: tf.reduce_sum(w * w)):
            w = v1.get_variable("w", [2, 2], initializer=v1.ones_initializer())
        x = v1.layers.batch_normalization(tf.matmul(x, w), training=training, momentum=0.5)
        with v1.variable_scope("net"):
            return utils.get_or_create_layer("last", lambda: tf.keras.layers.Dense(1, use_bias=False))(x)


def test_a_layer_holds_its_variables(tmp_path):
    layer = Old()
    layer(tf.ones([4, 2]))
    names = {v.name for v in layer.weights}
    assert (
        names >= {"net/w:0", "batch_normalization/gamma:0", "batch_normalization/moving_mean:0"}
        and len(layer.weights) == 6
    )
    assert len(layer.trainable_weights) == 4
    np.testing.assert_allclose(layer.losses, [4.0])
    tf.function(layer)(tf.ones([4, 2]), training=True)  # nothing new, and running means are moved
    assert len(layer.weights) == 6
    mean = next(v for v in layer.weights if v.name == "batch_normalization/moving_mean:0")
    np.testing.assert_allclose(mean, [1.0, 1.0])

    path = tf.train.Checkpoint(layer=layer).save(str(tmp_path / "model"))
    other = Old()
    other(tf.ones([4, 2]))
    tf.train.Checkpoint(layer=other).restore(path).assert_consumed()
    np.testing.assert_allclose(other(tf.ones([1, 2])), layer(tf.ones([1, 2])))


def test_two_objects_have_variables_of_their_own():
    class Scaled(tf.Module):
        @utils.track_tf1_style_variables
        def __call__(self, x):
            return x * v1.get_variable("scale", initializer=2.0)

    first, second = Scaled(), Scaled()
    first(1.0), second(1.0), first(1.0)
    first.variables[0].assign(3.0)
    assert (float(first(1.0)), float(second(1.0))) == (3.0, 2.0)
    assert [v.name for v in first.variables] == ["scale:0"]


def test_what_the_helpers_refuse():
    with pytest.raises(ValueError, match="outside of a method decorated"):
        utils.get_or_create_layer("last", lambda: None)
    with pytest.raises(ValueError, match="must be applied to a method of a subclassed"):
        utils.track_tf1_style_variables(lambda self: None)(object())
    with pytest.raises(ValueError, match="Mode arg must be"):
        utils.DeterministicRandomTestTool(mode="none")


def test_sessions_and_eager_code_draw_the_same():
    def drawn():
        return [tf.random.normal([2]), tf.random.uniform([2])]

    for mode in ("constant", "num_random_ops"):
        with utils.DeterministicRandomTestTool(mode=mode).scope():
            eager = [t.numpy() for t in drawn()]
        with tf.Graph().as_default(), v1.Session() as session, utils.DeterministicRandomTestTool(mode=mode).scope():
            tf.zeros([2])  # ops that are not random count for nothing
            np.testing.assert_array_equal(session.run(drawn()), eager)
    tool = utils.DeterministicRandomTestTool(mode="num_random_ops")
    with tool.scope():
        first = tf.random.normal([2])
        assert tool.operation_seed == 1
        tool.operation_seed = 0
        with pytest.raises(ValueError, match="already-used operation seed 0"):
            tf.random.normal([2])
    assert first.shape == [2]
