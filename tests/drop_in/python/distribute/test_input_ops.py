"""`reflow/drop_in/python/distribute/input_ops.py`: a process' part of a dataset."""

import reflow as tf
from reflow.drop_in.python.distribute.input_ops import _clone_dataset, auto_shard_dataset


def test_files_elements_and_neither(tmp_path):
    for i in range(4):
        (tmp_path / f"{i}.txt").write_text(f"{i} a\n{i} b\n")
    files = [str(tmp_path / f"{i}.txt") for i in range(4)]
    lines = tf.data.TextLineDataset(files).map(lambda line: line)
    assert [x.numpy() for x in auto_shard_dataset(lines, 2, 1)] == [b"1 a", b"1 b", b"3 a", b"3 b"]
    numbers = tf.data.Dataset.range(6).batch(2)
    assert [x.numpy().tolist() for x in auto_shard_dataset(numbers, 2, 0)] == [[0, 1], [4, 5]]
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    assert len(list(auto_shard_dataset(numbers.with_options(options), 2, 0))) == 3


def test_a_clone_has_the_same_elements():
    dataset = tf.data.Dataset.range(4).map(lambda x: 2 * x)
    clone = _clone_dataset(dataset)
    assert clone is not dataset and clone.element_spec == dataset.element_spec
    assert [int(x) for x in clone] == [0, 2, 4, 6]
