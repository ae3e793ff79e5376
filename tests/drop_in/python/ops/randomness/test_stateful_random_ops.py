"""Numbers that no seed repeats."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.randomness import stateful_random_ops


def test_numbers_and_replicas():
    a, b = (stateful_random_ops.non_deterministic_ints([4]) for _ in range(2))
    assert a.dtype == tf.int64 and a.numpy().tolist() != b.numpy().tolist()
    assert int(stateful_random_ops.get_replica_id()) == 0
    with tf.distribute.OneDeviceStrategy("cpu").scope():
        assert stateful_random_ops.get_replica_id() is None


def test_states_from_seeds():
    make = stateful_random_ops._make_1d_state
    states = make(3, 2**64 + 5), make(3, [1, 2]), make(2, [1, 2, 3]), make(3, -1)
    assert [s.numpy().tolist() for s in states] == [[5, 1, 0], [0, 1, 2], [1, 2], [-1, -1, -1]]
    assert stateful_random_ops._make_state_from_seed(7, 2).numpy().tolist() == [7, 0]
    assert stateful_random_ops._convert_to_state_tensor([2**63, 1]).numpy().tolist() == [-(2**63), 1]
    assert [stateful_random_ops._uint_to_int(n) for n in (2**64 - 1, 5)] == [-1, 5]


def test_sizes_of_states():
    assert [stateful_random_ops._get_state_size(alg) for alg in (1, 2, 3)] == [3, 2, 3]
    assert stateful_random_ops._get_counter_size(1) == 2
    with pytest.raises(ValueError, match="are incompatible"):
        stateful_random_ops._check_state_shape(tf.TensorShape([2]), 1)
