"""`RunConfig(train_distribute=...)`: one step on two replicas is one step on both batches."""

import numpy as np
import pytest

import reflow as tf

v1 = tf.compat.v1
X = np.linspace(-1.0, 1.0, 20).astype("float32")
Y = 3.0 * X + 1.0


def inputs(batch, epochs=6):
    return lambda: tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(epochs).batch(batch)


def model_fn(features, labels, mode):
    hidden = v1.layers.dense(
        features["x"][:, None], 3, tf.tanh, kernel_initializer=tf.constant_initializer([[0.1, 0.2, 0.3]])
    )
    scale = v1.Variable(0.5, name="scale")  # not by get_variable: the second replica gets the first one's all the same
    y = scale * v1.layers.dense(hidden, 1, kernel_initializer=tf.ones_initializer())[:, 0]
    if mode == "infer":
        return tf.estimator.EstimatorSpec(mode, y)
    loss = tf.reduce_mean((y - labels) ** 2)
    train = v1.train.AdamOptimizer(0.05).minimize(loss, v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, y, loss, tf.group(train, v1.get_collection(v1.GraphKeys.UPDATE_OPS)))


def two():
    return tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def test_two_replicas_are_one_with_both_batches(tmp_path):
    config = tf.estimator.RunConfig(str(tmp_path / "2"), train_distribute=two(), eval_distribute=two())
    both = tf.estimator.Estimator(model_fn, config=config).train(inputs(10), steps=6)
    alone = tf.estimator.Estimator(model_fn, str(tmp_path / "1")).train(inputs(20), steps=6)
    assert both.get_variable_names() == alone.get_variable_names()  # so checkpoints go from one to the other
    for name in alone.get_variable_names():
        np.testing.assert_allclose(
            both.get_variable_value(name), alone.get_variable_value(name), rtol=1e-5, err_msg=name
        )
    np.testing.assert_allclose(
        both.evaluate(inputs(10), steps=1)["loss"], alone.evaluate(inputs(20), steps=1)["loss"], rtol=1e-5
    )


def test_canned_models_and_strategies_of_one_device(tmp_path):
    column = [tf.feature_column.numeric_column("x")]
    found = []
    for i, strategy in enumerate([two(), tf.distribute.OneDeviceStrategy("/cpu:0"), None]):
        config = tf.estimator.RunConfig(str(tmp_path / str(i)), train_distribute=strategy)
        estimator = tf.estimator.LinearRegressor(column, optimizer="Adagrad", config=config)
        found.append(estimator.train(inputs(10 if i == 0 else 20), steps=3))
    assert [int(e.get_variable_value("global_step")) for e in found] == [3, 3, 3]
    for name in found[0].get_variable_names():
        for other in found[1:]:
            np.testing.assert_allclose(found[0].get_variable_value(name), other.get_variable_value(name), rtol=1e-5)


def test_what_cannot_be_distributed(tmp_path):
    def by_hand(features, labels, mode):
        step = v1.train.get_global_step()
        return tf.estimator.EstimatorSpec(mode, 0.0, tf.reduce_mean(labels), step.assign_add(1))

    config = tf.estimator.RunConfig(str(tmp_path), train_distribute=two())
    with pytest.raises(ValueError, match="by optimizers of tf.compat.v1.train"):
        tf.estimator.Estimator(by_hand, config=config).train(inputs(10))
    with pytest.raises(ValueError, match="must return a tf.data.Dataset"):
        tf.estimator.Estimator(model_fn, config=config).train(lambda: ({"x": X}, Y))
    with pytest.raises(ValueError, match="must be a tf.distribute.Strategy"):
        tf.estimator.RunConfig(train_distribute="mirrored")
