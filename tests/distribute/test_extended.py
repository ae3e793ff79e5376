"""The contexts of a strategy's code, and `StrategyExtended`, for one replica."""

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


def test_what_is_left_open_in_a_scope_is_named():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with tf.Graph().as_default():
        scope = strategy.scope()
        scope.__enter__()
        with tf.compat.v1.variable_scope("a"), pytest.raises(RuntimeError, match="Variable scope nesting error"):
            scope.__exit__(None, None, None)
    assert not tf.distribute.has_strategy()
