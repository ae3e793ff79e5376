"""Strategies of version 1: iterators, several steps in a call, graphs that sessions run."""

import pytest

import reflow as tf

v1 = tf.compat.v1


@pytest.mark.parametrize("make", [
    lambda: v1.distribute.OneDeviceStrategy("/cpu:0"), lambda: v1.distribute.MirroredStrategy(["/cpu:0"]),
    lambda: v1.distribute.experimental.CentralStorageStrategy(["/cpu:0"]),
    lambda: v1.distribute.experimental.ParameterServerStrategy(),
])  # fmt: skip
def test_runs_over_an_iterator(make):
    strategy = make()
    assert (
        isinstance(strategy, v1.distribute.Strategy) and isinstance(strategy.extended, v1.distribute.StrategyExtended)
    )
    iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(6).batch(2))
    assert int(strategy.reduce("sum", strategy.experimental_run(lambda x: x, iterator), axis=0)) == 1
    again = strategy.make_input_fn_iterator(
        lambda context: tf.data.Dataset.range(6).batch(context.get_per_replica_batch_size(3))
    )
    seen = []
    context = strategy.extended.experimental_run_steps_on_iterator(
        lambda context, x: (seen.append(x), context.set_last_step_output("x", x)), again, iterations=2
    )
    first = strategy.experimental_local_results(context.last_step_outputs["x"])[0]
    assert len(seen) == 2 and first.numpy().tolist() == [3, 4, 5]


def test_a_mirrored_variable_in_a_graph():
    with tf.Graph().as_default(), v1.Session() as session:
        strategy = v1.distribute.MirroredStrategy(["/cpu:0"])
        with strategy.scope():
            variable = v1.get_variable("v", initializer=[1.0, 2.0])
        session.run(variable.initializer)
        assert session.run(variable.assign_add([1.0, 1.0])).tolist() == [2.0, 3.0]
        iterator = strategy.make_dataset_iterator(v1.data.Dataset.range(4).batch(2))
        session.run(iterator.initialize())
        assert session.run(strategy.experimental_local_results(iterator.get_next()))[0].tolist() == [0, 1]
        assert session.run(variable).tolist() == [2.0, 3.0]


def test_what_steps_hand_out():
    strategy = v1.distribute.MirroredStrategy(["/cpu:0"])
    iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(4).batch(2))

    def step(context, x):
        def as_replica(x):
            context.set_last_step_output("sum", tf.reduce_sum(x), "sum")
            context.set_non_tensor_output("label", "seen")
            with pytest.raises(ValueError, match="reduce_op"):
                context.set_last_step_output("other", x)

        strategy.run(as_replica, args=(x,))

    context = strategy.extended.experimental_run_steps_on_iterator(step, iterator, iterations=2)
    assert int(context.last_step_outputs["sum"]) == 5 and context.non_tensor_outputs == {"label": ("seen",)}


def test_a_strategy_of_a_users_own():
    class Extended(v1.distribute.StrategyExtended):
        def _create_variable(self, next_creator, **kwargs):
            return (kwargs["name"], kwargs["aggregation"])

        def _call_for_each_replica(self, fn, args, kwargs):
            with tf.distribute.ReplicaContext(self._container_strategy(), replica_id_in_sync_group=0):
                return fn(*args, **kwargs)

        def _reduce_to(self, reduce_op, value, destinations, options):
            return (reduce_op.name, value)

    class Own(tf.distribute.Strategy):
        def __init__(self):
            super().__init__(Extended(self))

    strategy = Own()
    made = strategy.extended.call_for_each_replica(lambda: tf.Variable(1.0, name="a"))
    assert made == ("a", tf.VariableAggregation.NONE)
    assert strategy.reduce("mean", 3.0, axis=None) == ("MEAN", 3.0)
    with Own().scope(), pytest.raises(RuntimeError, match="Mixing different tf.distribute.Strategy objects"):
        strategy.reduce("mean", 3.0, axis=None)
