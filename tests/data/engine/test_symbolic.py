"""Symbolic checkpoints: small positions, and stages that have none."""

import pytest

import reflow as tf

D = tf.data.Dataset


def symbolic(dataset):
    options = tf.data.Options()
    options.experimental_symbolic_checkpoint = True
    return dataset.with_options(options)


LARGE = D.range(6).map(lambda x: tf.fill([100_000], x))
STAGES = {
    "flat_map": lambda: LARGE.flat_map(lambda x: D.range(x[0], x[0] + 3)),
    "interleave": lambda: LARGE.interleave(lambda x: D.range(x[0], x[0] + 3), cycle_length=3),
    "parallel": lambda: LARGE.interleave(
        lambda x: D.range(x[0], x[0] + 3), cycle_length=3, block_length=2, num_parallel_calls=2
    ),
    "shuffled": lambda: D.range(6).shuffle(4, seed=1).interleave(lambda x: D.range(x, x + 3), cycle_length=3),
}


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("read", [0, 1, 5, 17, 18])
def test_elements_of_the_input_are_read_again(name, read):
    """The position does not hold the input's elements, of 800 kB each."""
    dataset = symbolic(STAGES[name]())
    iterator = dataset.as_numpy_iterator()
    for _ in range(read):
        next(iterator)
    position = iterator.save().numpy()
    assert len(position) < 5_000
    expected = list(iterator)
    fresh = dataset.as_numpy_iterator()
    fresh.restore(position)
    assert list(fresh) == expected and len(expected) == 18 - read


# recorded from TensorFlow
REFUSED = {
    "UniqueDataset": lambda: D.range(5).unique(),
    "CacheDatasetV2": lambda: D.range(5).cache(),
    "RebatchDatasetV2": lambda: D.range(5).batch(3).rebatch(2),
    "IgnoreErrorsDataset": lambda: D.range(5).ignore_errors(),
    "GroupByWindowDataset": lambda: D.range(6).group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), 2),
    "WindowDataset": lambda: D.range(6).window(2),
    "WindowOp": lambda: D.range(6).window(2).flat_map(lambda x: x),
    "LegacyParallelInterleaveDatasetV2": lambda: D.range(1, 6).apply(
        tf.data.experimental.parallel_interleave(D.range, 2)
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_stages_without_symbolic_positions(name, tmp_path):
    for dataset in (REFUSED[name](), REFUSED[name]().prefetch(2)):
        iterator = iter(symbolic(dataset))
        next(iterator)
        with pytest.raises(tf.errors.UnimplementedError, match=f"^{name} does not support symbolic checkpointing."):
            tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "position"))


@pytest.mark.parametrize("calls", [None, 2])
def test_a_dataset_that_has_ended_counts(calls, tmp_path):
    dataset = D.range(2).interleave(
        lambda x: D.range(4).window(2).flat_map(lambda w: w), cycle_length=3, num_parallel_calls=calls
    )
    iterator = iter(symbolic(dataset))
    assert len(list(iterator)) == 8
    with pytest.raises(tf.errors.UnimplementedError, match="WindowOp"):
        tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "position"))
