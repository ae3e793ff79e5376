"""`tf.distribute` with one replica: strategies, their scopes, and the path of `apply_gradients`."""

import copy

import pytest

import reflow as tf

internal = tf.__internal__


def test_default_strategy():
    strategy = tf.distribute.get_strategy()
    assert not tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context()
    assert strategy.num_replicas_in_sync == 1 and isinstance(strategy, tf.distribute.Strategy)
    assert strategy.run(lambda x, y: x + y, args=(1,), kwargs={"y": 2}) == 3
    with strategy.scope():
        assert not tf.distribute.has_strategy() and tf.distribute.get_replica_context() is not None
    assert strategy.reduce("MEAN", tf.constant([1.0, 2.0]), axis=0).numpy() == 1.5
    assert strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=None).numpy().tolist() == [1.0, 2.0]
    assert strategy.experimental_local_results(3) == (3,)
    with pytest.raises(RuntimeError, match=r"worker_devices\(\) method unsupported by default tf.distribute.Strategy."):
        strategy.extended.worker_devices  # noqa: B018
    dataset = object()
    assert strategy.experimental_distribute_dataset(dataset) is dataset
    assert copy.deepcopy(strategy) is strategy
    assert internal.distribute.get_cross_replica_context() is None
    other = tf.distribute.OneDeviceStrategy("/cpu:0")
    with other.scope():
        assert internal.distribute.get_cross_replica_context() is other


@pytest.mark.parametrize("make", [lambda: tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.MirroredStrategy])
def test_strategies_of_one_device(make):
    strategy = make()
    outside = tf.Variable(0.0)
    with strategy.scope():
        assert tf.distribute.has_strategy() and tf.distribute.in_cross_replica_context()
        assert tf.distribute.get_replica_context() is None and tf.distribute.get_strategy() is strategy
        inside = tf.Variable(1.0)
        with pytest.raises(RuntimeError, match="Mixing different tf.distribute.Strategy objects"), make().scope():
            pass
    assert tf.distribute.get_strategy() is not strategy
    assert (
        strategy.extended.variable_created_in_scope(inside) and not strategy.extended.variable_created_in_scope(outside)
    )
    assert strategy.run(lambda: tf.distribute.get_replica_context().strategy) is strategy
    assert strategy.run(lambda: tf.distribute.in_cross_replica_context()) is False

    def merge():
        return tf.distribute.get_replica_context().merge_call(lambda s: tf.distribute.in_cross_replica_context())

    assert strategy.run(merge) is True
    assert strategy.extended.worker_devices == ("/job:localhost/replica:0/task:0/device:CPU:0",)
    assert strategy.run(tf.function(lambda: inside + 1)).numpy() == 2.0


def test_a_strategy_that_is_set():
    first, second = tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.OneDeviceStrategy("/cpu:0")
    for strategy in (first, second):  # the second takes the place of the first
        tf.distribute.experimental_set_strategy(strategy)
        assert tf.distribute.get_strategy() is strategy and tf.distribute.in_cross_replica_context()
    tf.distribute.experimental_set_strategy(None)
    assert not tf.distribute.has_strategy()
    with (
        first.scope(), pytest.raises(RuntimeError, match="Must not be called inside a `tf.distribute.Strategy` scope.")
    ):
        tf.distribute.experimental_set_strategy(second)
