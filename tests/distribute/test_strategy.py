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


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.distribute.OneDeviceStrategy("/cpu:0"), lambda: tf.distribute.MirroredStrategy(["CPU:0"]),
        tf.distribute.get_strategy,
    ],
    ids=["one", "mirrored", "default"],
)
def test_what_can_be_gathered(make):
    """Recorded from TensorFlow 2.21."""
    strategy = make()
    rows, ragged = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([1])), tf.ragged.constant([[1]])
    with pytest.raises(NotImplementedError, match="^gather does not support IndexedSlices"):
        strategy.gather(rows, 0)
    assert strategy.gather(ragged, 0).to_list() == [[1]]

    def gathered(value):
        return strategy.run(lambda: tf.distribute.get_replica_context().all_gather(value, 0))

    with pytest.raises(NotImplementedError, match="all_gather does not support IndexedSlices"):
        gathered({"a": rows})
    assert gathered(ragged).to_list() == [[1]] and gathered({"a": tf.constant([3])})["a"].numpy().tolist() == [3]
    assert float(strategy.reduce("MEAN", tf.constant([1, 2]), axis=0)) == 1.5
    if strategy is not tf.distribute.get_strategy():
        with pytest.raises(RuntimeError, match=r"cross-replica context, use get_replica_context\(\)\.all_gather\(\)"):
            strategy.run(lambda: strategy.gather(tf.constant([1.0]), 0))


def test_results_of_updates_are_per_replica_unless_they_are_grouped():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        v = tf.Variable(4.0)
    assert float(strategy.extended.update(v, lambda x: x * 2)) == 8.0
    (result,) = strategy.extended.update(v, lambda x: x * 2, group=False)
    assert float(result) == 8.0 and strategy.extended.update_non_slot("/cpu:0", lambda: 3, group=False) == (3,)
