"""Numbers that no seed repeats."""

import reflow as tf
from reflow.drop_in.python.ops import stateful_random_ops


def test_numbers_and_replicas():
    a, b = (stateful_random_ops.non_deterministic_ints([4]) for _ in range(2))
    assert a.dtype == tf.int64 and a.numpy().tolist() != b.numpy().tolist()
    assert int(stateful_random_ops.get_replica_id()) == 0
    with tf.distribute.OneDeviceStrategy("cpu").scope():
        assert stateful_random_ops.get_replica_id() is None
