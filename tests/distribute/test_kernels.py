"""Ops between processes in a process that is alone; `test_multi_worker.py` and `programs/multi_worker.py` run them in two."""

from types import SimpleNamespace

import pytest

import reflow as tf
from reflow.distribute.kernels import reads_files
from reflow.distribute.sharding import distributed


def test_only_files_can_be_dealt():
    policy = tf.data.Options()
    policy.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
    numbers = tf.data.Dataset.range(3).batch(2).with_options(policy)
    with pytest.raises(tf.errors.NotFoundError, match="unshardable source"):
        list(distributed(numbers, SimpleNamespace(index=1, count=2), 1))


def test_readers_are_found_in_functions_of_functions():
    names = tf.data.Dataset.from_tensor_slices(["a", "b"])
    assert reads_files(names.interleave(tf.data.TextLineDataset).batch(2)._variant_tensor._value)
    assert not reads_files(names.flat_map(tf.data.Dataset.from_tensors).batch(2)._variant_tensor._value)
