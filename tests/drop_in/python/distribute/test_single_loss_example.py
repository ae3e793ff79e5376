"""`reflow/drop_in/python/distribute/single_loss_example.py`: values recorded from TensorFlow 2.21, but for those with
a batch normalization, which need Keras 2 there."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.distribute import single_loss_example as example

v1 = tf.compat.v1
STRATEGIES = {
    "one": lambda: v1.distribute.OneDeviceStrategy("/cpu:0"),
    "mirrored": lambda: v1.distribute.MirroredStrategy(["CPU:0"]),
}


@pytest.fixture(params=STRATEGIES)
def strategy(request):
    return STRATEGIES[request.param]()


def weights(layer):
    return [round(float(np.sum(v.numpy())), 4) for v in layer.trainable_variables]


def start(layer):
    for v in layer.trainable_variables:
        v.assign(tf.ones_like(v))


def test_a_step(strategy):
    with strategy.scope():
        step, layer = example.single_loss_example(
            lambda: v1.train.GradientDescentOptimizer(0.1), strategy, use_bias=True
        )
        step.initialize()
        step()
        start(layer)
        for expected in (0.8, 0.68, 0.608):
            step()
            assert weights(layer) == [pytest.approx(expected, abs=1e-4)] * 2


def test_a_step_of_several_updates_in_a_graph(strategy):
    with tf.Graph().as_default(), v1.Session() as session, strategy.scope():
        step, layer = example.single_loss_example(
            lambda: v1.train.GradientDescentOptimizer(0.1), strategy, iterations_per_step=2
        )
        begin, train = step.initialize(), step()
        session.run(v1.global_variables_initializer())
        session.run(begin)
        (kernel,) = layer.trainable_variables
        for _ in range(12):
            session.run(train)
        assert session.run(strategy.extended.read_var(kernel)).item() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("use_callable_loss", [True, False])
def test_a_function_of_the_inputs(strategy, use_callable_loss):
    with strategy.scope(), tf.Graph().as_default() if not use_callable_loss else tf.init_scope():
        optimizer = v1.train.GradientDescentOptimizer(0.1)
        model, dataset, layer = example.minimize_loss_example(optimizer, True, use_callable_loss)
        assert dataset().element_spec == tf.TensorSpec([1, 1, 1])
        if use_callable_loss:
            (x,) = dataset().take(1)
            strategy.run(model, args=(x,))
            start(layer)
            strategy.run(model, args=(x,))
            assert weights(layer) == [0.8, 0.8]
            return
        train = strategy.group(strategy.run(model, args=(tf.ones([1, 1, 1]),)))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(20):
                session.run(train)
            total = sum(session.run(strategy.extended.read_var(v)).sum() for v in layer.trainable_variables)
        assert total == pytest.approx(1.0, abs=0.01)


def test_a_batch_normalization(strategy):
    with strategy.scope():
        model, dataset, normalization = example.batchnorm_example(
            lambda: v1.train.GradientDescentOptimizer(1e-5), batch_per_epoch=2, momentum=0.5
        )
        for x in dataset().take(3):
            strategy.run(model, args=(x,))
    means = 60.0 + np.arange(8) + 100.0 * np.array([[0], [1], [0]])
    expected = ((means[0] / 2 + means[1]) / 2 + means[2]) / 2
    np.testing.assert_allclose(normalization.moving_mean.numpy(), expected, rtol=1e-5)
