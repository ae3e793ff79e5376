"""Variables under a strategy with two replicas: copies that are equal, and copies that are each replica's own."""

import numpy as np
import pytest

import reflow as tf
from reflow.devices import placement


@pytest.fixture
def strategy():
    placement.reset()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    yield tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    placement.reset()


def number():
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group + 1, tf.float32)


def test_copies_of_a_mirrored_variable_stay_equal(strategy):
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    strategy.run(lambda: v.assign_add(number()))
    assert [float(c) for c in strategy.experimental_local_results(v)] == [4.0, 4.0] and float(v) == 4.0


def test_means(strategy):
    with strategy.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
    strategy.run(lambda: v.assign(number()))
    assert float(v) == 1.5


def test_without_an_aggregation_each_copy_is_written_by_its_replica(strategy):
    """As in TensorFlow 2.21."""
    with strategy.scope():
        v = tf.Variable(0.0)
    strategy.run(lambda: v.assign(number()))
    assert [float(c) for c in strategy.experimental_local_results(v)] == [1.0, 2.0]


def test_copies_that_are_combined_when_they_are_read(strategy):
    with strategy.scope():
        v = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM,
            trainable=False,
        )
    strategy.run(lambda: v.assign_add(number()))
    assert [float(c) for c in strategy.experimental_local_results(v)] == [1.0, 2.0]
    assert float(v.read_value()) == 3.0


def test_a_replica_reads_its_own_copy(strategy):
    with strategy.scope():
        v = tf.Variable(3.0)
    results = strategy.run(lambda: v + number())
    np.testing.assert_array_equal([float(x) for x in strategy.experimental_local_results(results)], [4.0, 5.0])


def test_a_function_called_by_replicas_has_a_trace_for_each(strategy):
    """Each replica's trace has its own copy of the variable, and the code around the replicas a third one."""
    with strategy.scope():
        v = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM,
            trainable=False,
        )

    @tf.function
    def add(x):
        return v.assign_add(x * number())

    for _ in range(2):
        strategy.run(lambda: add(tf.constant(1.0)))
    assert [float(c) for c in v.values] == [2.0, 4.0] and add.experimental_get_tracing_count() == 2

    read = tf.function(lambda: v + 0.0)
    apart = strategy.experimental_local_results(strategy.run(lambda: read()))
    assert [float(x) for x in apart] == [2.0, 4.0] and float(read()) == 6.0


def test_a_saved_model_has_functions_for_one_device(strategy, tmp_path):
    module = tf.Module()
    with strategy.scope():
        module.v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    module.add = tf.function(lambda x: module.v.assign_add(x), input_signature=[tf.TensorSpec([], tf.float32)])
    concrete = module.add.get_concrete_function()
    with pytest.raises(ValueError, match="f_with_input_signature"):
        tf.saved_model.save(module, str(tmp_path), signatures=concrete)
    tf.saved_model.save(module, str(tmp_path), signatures=module.add)
    loaded = tf.saved_model.load(str(tmp_path))
    assert float(loaded.add(2.0)) == 3.0 and float(loaded.v) == 3.0
