"""How the values of all replicas become one."""

import pytest

import reflow as tf
from reflow.distribute.reduction import gather_values, reduce_along, reduce_values
from reflow.distribute.values import ReduceOp


def test_sums_and_means():
    values = [tf.constant([1.0, 2.0]), tf.constant([3.0, 6.0])]
    assert reduce_values(ReduceOp.SUM, values).numpy().tolist() == [4.0, 8.0]
    assert reduce_values(ReduceOp.MEAN, values).numpy().tolist() == [2.0, 4.0]


def test_slices_stay_slices():
    values = [tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([i]), tf.constant([4, 1])) for i in (1, 3)]
    mean = reduce_values(ReduceOp.MEAN, values)
    assert isinstance(mean, tf.IndexedSlices)
    assert (mean.indices.numpy().tolist(), mean.values.numpy().tolist()) == ([1, 3], [[1.0], [1.0]])


def test_a_mean_over_replicas_of_different_size_counts_elements():
    values = [tf.constant([1.0, 2.0, 3.0]), tf.constant([10.0])]
    assert float(reduce_along(ReduceOp.MEAN, values, 0)) == 4.0
    assert float(reduce_along(ReduceOp.SUM, values, 0)) == 16.0


def test_gathering():
    assert gather_values([[1], [2, 3]], 0).numpy().tolist() == [1, 2, 3]


def test_a_function_of_the_users_accumulates():
    values = tf.types.experimental.distributed.PerReplica([tf.constant(1.0), tf.constant(2.0)])
    ops = tf.distribute.ReductionToOneDevice(accumulation_fn=lambda parts: tf.add_n(parts) * 10.0)
    assert float(ops.reduce("mean", values, values)) == 15.0
    with pytest.raises(ValueError, match="num_packs"):
        tf.distribute.NcclAllReduce(num_packs=-1)
