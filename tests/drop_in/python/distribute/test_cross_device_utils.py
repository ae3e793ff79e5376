"""Sums, quotients and copies of dense and sparse values; keys of collectives."""

import copy

import numpy as np
import pytest

import reflow as tf
from reflow.distribute.values import Mirrored, PerReplica
from reflow.drop_in.python.distribute import cross_device_utils as utils


@pytest.fixture
def dense():
    return tf.constant([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture
def sparse():
    return tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2]), tf.constant([4, 2]))


def test_sums(dense, sparse):
    assert utils.aggregate_tensors_or_indexed_slices([dense, dense]).numpy().tolist() == [[2, 4], [6, 8]]
    assert utils.aggregate_tensors_or_indexed_slices([dense, dense], accumulation_fn=lambda parts: parts[0]) is dense
    found = utils.aggregate_tensors_or_indexed_slices([sparse, sparse])
    assert found.indices.numpy().tolist() == [0, 2, 0, 2] and found.values.shape == [4, 2]


def test_quotients_and_copies(dense, sparse):
    for value in (dense, sparse, Mirrored((dense,))):
        copied = utils.copy_tensor_or_indexed_slices_to_device(value, "/cpu:0")
        halved = utils.divide_by_n_tensors_or_indexed_slices(copied, 2)
        np.testing.assert_array_equal(tf.convert_to_tensor(halved) * 2, tf.convert_to_tensor(copied))


def test_kinds(dense, sparse):
    assert (
        utils.is_indexed_slices(PerReplica((sparse, sparse)))
        and not utils.is_indexed_slices(PerReplica((sparse, dense)))
    )
    values, places, slices, their_places = utils.split_by_sparsity([dense, sparse, dense])
    assert (places, their_places, slices[0] is sparse, len(values)) == ([0, 2], [1], True, 2)
    stitched = utils.stitch_values(((values, places), (slices, their_places)))
    assert stitched[1] is sparse and stitched[0] is stitched[2] is dense
    with pytest.raises(ValueError, match="not those of one list"):
        utils.stitch_values((([1], [3]),))


@pytest.mark.parametrize(("size", "expected"), [(16, [2, 1]), (100, [3]), (0, [3]), (15, [1, 2])])
def test_packs(size, expected):
    packs = utils.group_by_size([tf.ones([4]), tf.ones([2]), tf.ones([8])], size)
    assert [len(pack) for pack in packs] == expected


def test_keys_of_collectives():
    keys = utils.CollectiveKeys()
    group = keys.get_group_key(["CPU:0", "CPU:1"])
    assert group == keys.get_group_key(["CPU:0", "CPU:1"]) != keys.get_group_key(["CPU:0"])
    assert (
        [keys.get_instance_key(group, "CPU:0") for _ in range(2)] == [100, 101]
        and keys.get_instance_key(group, "CPU:1") == 100
    )
    assert copy.deepcopy(keys).get_instance_key(group, "CPU:0") == 102
    with pytest.raises(ValueError, match="Group 7 is not found."):
        keys.get_instance_key(7, "CPU:0")
