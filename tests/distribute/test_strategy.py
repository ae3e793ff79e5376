"""`tf.distribute` with one replica: strategies, their scopes, and the path of `apply_gradients`."""

import copy

import pytest

import reflow as tf

internal = tf.__internal__


def test_a_scope_is_left_after_those_inside_of_it():
    scope = tf.distribute.OneDeviceStrategy("/cpu:0").scope()
    for inner, what in (
        (tf.device("/gpu:3"), "Device scope"),
        (tf.variable_creator_scope(lambda make, **kwargs: make(**kwargs)), "Variable creator scope"),
    ):
        scope.__enter__()
        with inner, pytest.raises(RuntimeError, match=f"{what} nesting error"):
            scope.__exit__(None, None, None)
        assert tf.distribute.has_strategy()
        scope.__exit__(None, None, None)
        assert not tf.distribute.has_strategy()


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


def test_default_replica_context():
    context = tf.distribute.get_replica_context()
    assert (context.num_replicas_in_sync, context.replica_id_in_sync_group) == (1, 0)
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    assert context.all_reduce(tf.distribute.ReduceOp.SUM, [slices])[0] is slices
    assert context.all_reduce("mean", [2.0])[0].numpy() == 2.0
    with pytest.raises(ValueError, match="'FOO' is not a valid ReduceOp"):
        context.all_reduce("foo", [2.0])
    assert context.merge_call(lambda strategy, x: (strategy, x), args=(1,)) == (tf.distribute.get_strategy(), 1)


def test_the_path_of_apply_gradients():
    variable = tf.Variable(1.0)
    strategy = tf.distribute.get_strategy()

    def step(distribution, value):
        distribution.extended.update(variable, lambda v, x: v.assign_sub(x), args=(value,), group=False)

    with strategy.extended.colocate_vars_with(variable):
        internal.distribute.interim.maybe_merge_call(step, strategy, 0.5)
    assert variable.numpy() == 0.5
    assert internal.distribute.strategy_supports_no_merge_call()
    assert strategy.extended.variable_created_in_scope(variable)


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
    assert strategy.extended.variable_created_in_scope(inside) and not strategy.extended.variable_created_in_scope(outside)
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
    with first.scope(), pytest.raises(RuntimeError, match="Must not be called inside a `tf.distribute.Strategy` scope."):
        tf.distribute.experimental_set_strategy(second)


def test_what_is_left_open_in_a_scope_is_named():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with tf.Graph().as_default():
        scope = strategy.scope()
        scope.__enter__()
        with tf.compat.v1.variable_scope("a"), pytest.raises(RuntimeError, match="Variable scope nesting error"):
            scope.__exit__(None, None, None)
    assert not tf.distribute.has_strategy()
