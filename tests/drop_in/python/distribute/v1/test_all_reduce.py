"""Reductions over devices: results and errors recorded from TensorFlow 2.21."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.distribute.v1 import all_reduce


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(x):
    with tf.compat.v1.Session() as session:
        return session.run(x)


def inputs(count, size=5):
    return [tf.constant(np.arange(size) + i, tf.float32) for i in range(count)]


def half(x):
    return x / 2.0


def check(results, expected):
    found = run(results)
    np.testing.assert_allclose(found, [expected] * len(found))


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("subchunks", [1, 2])
def test_ring(count, subchunks):
    expected = np.arange(5) * count + sum(range(count))
    check(all_reduce.build_ring_all_reduce(inputs(count), 1, subchunks, list(range(count)), tf.add), expected)
    check(all_reduce.build_ring_all_reduce(inputs(count), 1, subchunks, list(range(count)), tf.add, half), expected / 2)


def test_other_ways():
    matrices = [tf.constant(np.arange(8).reshape(2, 4) + i, tf.float32) for i in range(4)]
    expected = np.arange(8).reshape(2, 4) * 4 + 6
    check(all_reduce.build_recursive_hd_all_reduce(matrices, tf.add), expected)
    check(all_reduce.build_recursive_hd_all_reduce(matrices, tf.add, half), expected / 2)
    check(all_reduce.build_shuffle_all_reduce(matrices, ["/cpu:0"] * 3, tf.add_n, half), expected / 2)
    check(all_reduce.build_ring_all_reduce(matrices, 2, 1, [0, 1], tf.add), expected)


def test_hybrids_stay_on_their_devices():
    devices = [f"/job:w/replica:0/task:{task}/device:CPU:{i}" for task in (0, 1) for i in (0, 1)]
    tensors = []
    for device in devices:
        with tf.device(device):
            tensors.append(tf.constant([1.0, 2.0, 3.0]))
    firsts = [devices[0], devices[2]]
    for results in (
        all_reduce.build_shuffle_then_shuffle(tensors, firsts, [devices[0]], tf.add_n),
        all_reduce.build_shuffle_then_ring(tensors, firsts, 1, tf.add_n, tf.add),
    ):
        assert [t.device for t in results] == devices and results[0].shape == [3]
    with pytest.raises(ValueError, match="gather_devices must contain one device per worker"):
        all_reduce.build_shuffle_then_shuffle(tensors, firsts[:1], [devices[0]], tf.add_n)


def test_rings():
    assert all_reduce._ring_permutations(1, 1, [0, 1]) == ([[1, 0]], [[0, 1]])
    assert all_reduce._ring_permutations(1, 2, [0, 1, 2, 3]) == ([[3, 0, 1, 2]] * 2, [[0, 1, 2, 3], [2, 3, 0, 1]])
    two = ([[5, 0, 1, 2, 3, 4], [2, 3, 1, 5, 0, 4]], [[0, 1, 2, 3, 4, 5], [2, 0, 1, 5, 3, 4]])
    assert all_reduce._ring_permutations(2, 2, [0, 1, 2]) == two
    with pytest.raises(ValueError, match="num_subchunks 3 must be <= num_gpus 2"):
        all_reduce._ring_permutations(1, 3, [0, 1])


def test_pieces():
    pieces, padding = all_reduce._padded_split(tf.range(7), 3)
    assert [p.tolist() for p in run(pieces)] == [[0, 1, 2], [3, 4, 5], [6, 0, 0]] and padding == 2
    assert [p.tolist() for p in run(all_reduce._strip_padding([tf.range(6)], 2))] == [[0, 1, 2, 3]]
    assert [p.tolist() for p in run(all_reduce._ragged_split(tf.range(7), 3))] == [[0, 1], [2, 3], [4, 5, 6]]
    by_task = all_reduce._split_by_task(
        ["/replica:0/task:0/x", "/replica:0/task:1/x", "/replica:0/task:0/y"], [1, 2, 3]
    )
    assert by_task == ([["/replica:0/task:0/x", "/replica:0/task:0/y"], ["/replica:0/task:1/x"]], [[1, 3], [2]])


def test_errors():
    with pytest.raises(ValueError, match="input_tensors must be length 2 or longer"):
        all_reduce.build_ring_all_reduce(inputs(1), 1, 1, [0], tf.add)
    with pytest.raises(ValueError, match="num_devices must be a power of 2"):
        all_reduce.build_recursive_hd_all_reduce(inputs(3), tf.add)
    with pytest.raises(ValueError, match="are not compatible"):
        all_reduce._flatten_tensors([tf.zeros([2, 3]), tf.zeros([1])])
    for call in (all_reduce._padded_split, all_reduce._ragged_split):
        with pytest.raises(ValueError, match="input tensor must be 1D"):
            call(tf.zeros([2, 3]), 3)
