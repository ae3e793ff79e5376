"""`TPUStrategy` over simulated cores."""

import numpy as np
import pytest

import reflow as tf
from tests.distribute.tpu.simulated import cores as cores


def strategy_on(count, **options):
    return tf.distribute.TPUStrategy(tf.distribute.cluster_resolver.TPUClusterResolver.connect(), **options)


def test_a_step_runs_on_every_core(cores):
    cores(4)
    strategy = strategy_on(4)
    with strategy.scope():
        total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def step(x):
        context = tf.distribute.get_replica_context()
        total.assign_add(x)
        return context.all_reduce("sum", x), context.replica_id_in_sync_group

    values = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(float(c.replica_id_in_sync_group))
    )
    sums, numbers = strategy.run(step, args=(values,))
    assert [float(x) for x in sums.values] == [6.0] * 4 and [int(n) for n in numbers.values] == [0, 1, 2, 3]
    assert float(total) == 6.0 and [v.device[-5:] for v in total.values] == ["TPU:0", "TPU:1", "TPU:2", "TPU:3"]
    assert repr(total).startswith("TPUMirroredVariable:{")
    assert (strategy.extended.num_hosts, strategy.extended.num_replicas_per_host) == (1, 4)


def test_training_equals_one_device_with_the_whole_batch(cores):
    cores(2)
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3)
    data = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True))).batch(4)

    def trained(strategy):
        with strategy.scope():
            weights = tf.Variable(tf.zeros([3, 1]))

        @tf.function
        def step(rows, wanted):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((rows @ weights - wanted) ** 2) / 4.0
            gradient = tape.gradient(loss, weights)
            gradient = tf.distribute.get_replica_context().all_reduce("sum", gradient)
            tf.distribute.get_replica_context().merge_call(
                lambda s, v, g: s.extended.update(v, lambda v, g: v.assign_sub(0.1 * g), (g,)), (weights, gradient)
            )
            return loss

        for element in strategy.experimental_distribute_dataset(data):
            strategy.run(step, args=element)
        return weights.numpy()

    np.testing.assert_allclose(trained(strategy_on(2)), trained(tf.distribute.OneDeviceStrategy("/cpu:0")), rtol=1e-6)


def test_blocks_of_cores_are_logical_devices(cores):
    cores(4)
    topology = tf.tpu.experimental.initialize_tpu_system()
    blocks = tf.tpu.experimental.DeviceAssignment.build(topology, computation_shape=[1, 1, 1, 2], num_replicas=2)
    strategy = strategy_on(4, experimental_device_assignment=blocks)
    assert strategy.num_replicas_in_sync == 2

    @tf.function
    def step():
        x = strategy.experimental_assign_to_logical_device(tf.constant([1.0, 2.0]), 1)
        x = strategy.experimental_split_to_logical_devices(x, [2])
        return strategy.experimental_replicate_to_logical_devices(x), tf.distribute.get_replica_context().devices

    value, devices = strategy.run(step)
    assert value.values[1].numpy().tolist() == [1.0, 2.0] and devices[1].values[1].numpy().endswith(b"TPU:3")
    for refused in (
        lambda: strategy.experimental_assign_to_logical_device(1.0, 2),
        lambda: strategy.experimental_split_to_logical_devices([1.0, 2.0, 3.0], [2]),
        lambda: strategy.experimental_split_to_logical_devices([1.0, 2.0], [1, 2]),
        lambda: strategy.experimental_split_to_logical_devices([1.0, 2.0], [1]),
    ):
        with pytest.raises(ValueError, match="logical|partition"):
            refused()


def test_a_step_must_be_a_function(cores):
    cores(2)
    with pytest.raises(NotImplementedError, match="does not support pure eager execution"):
        strategy_on(2).run(lambda: 1.0)


def test_without_a_system():
    with pytest.raises(tf.errors.NotFoundError, match="initialize_tpu_system"):
        tf.distribute.TPUStrategy(tf.distribute.cluster_resolver.TPUClusterResolver("local"))
    with pytest.raises(ValueError, match="TPU Name"):
        tf.distribute.experimental.TPUStrategy()
