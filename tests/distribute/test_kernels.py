"""Ops between processes in a process that is alone.

`test_multi_worker.py` and `programs/multi_worker.py` run them in two.
"""

from types import SimpleNamespace

import pytest

import reflow as tf
from reflow.distribute.sharding import distributed


def test_only_files_can_be_dealt():
    policy = tf.data.Options()
    policy.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
    numbers = tf.data.Dataset.range(3).batch(2).with_options(policy)
    with pytest.raises(tf.errors.NotFoundError, match="unshardable source"):
        list(distributed(numbers, SimpleNamespace(index=1, count=2), 1))


def test_names_of_files_are_dealt_before_they_are_shuffled(tmp_path):
    for i in range(6):
        (tmp_path / f"{i}.txt").write_text(f"{i}\n")
    names = tf.data.Dataset.from_tensor_slices([str(tmp_path / f"{i}.txt") for i in range(6)]).shuffle(6).prefetch(1)
    lines = names.flat_map(tf.data.TextLineDataset).batch(2)
    read = [
        b"".join(b for step in distributed(lines, SimpleNamespace(index=i, count=2), 1) for b in step.numpy().tolist())
        for i in range(2)
    ]
    assert sorted(read[0]) == sorted(b"024") and sorted(read[1]) == sorted(b"135")
