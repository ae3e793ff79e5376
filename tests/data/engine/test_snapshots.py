"""Datasets that write and read files: positions."""

import os

import pytest

import reflow as tf

D = tf.data.Dataset


def test_a_restored_writer_goes_on_where_it_was(tmp_path):
    ds = D.range(6).snapshot(str(tmp_path / "s"), compression="GZIP")
    first = iter(ds)
    assert [int(next(first)) for _ in range(2)] == [0, 1]
    position = first._save()
    assert int(next(first)) == 2
    again = iter(ds)
    again._restore(position)
    assert [int(x) for x in again] == [2, 3, 4, 5]
    assert [int(x) for x in ds] == list(range(6))


def test_a_snapshot_is_read_and_not_computed(tmp_path):
    seen = []
    ds = D.range(3).map(
        lambda x: tf.py_function(lambda v: seen.append(int(v)) or v, [x], tf.int64)
    ).snapshot(str(tmp_path))
    assert [int(x) for x in ds] == [int(x) for x in ds] == [0, 1, 2]
    assert seen == [0, 1, 2]


def test_a_reader_is_restored_at_every_element(tmp_path):
    D.range(5).save(str(tmp_path), shard_func=lambda x: x % 2)
    ds = D.load(str(tmp_path))
    for passed in range(6):
        iterator = iter(ds)
        done = [int(next(iterator)) for _ in range(passed)] if passed <= 5 else []
        again = iter(ds)
        again._restore(iterator._save())
        assert sorted(done + [int(x) for x in again]) == list(range(5))


def test_an_empty_dataset_and_a_missing_one(tmp_path):
    D.range(0).save(str(tmp_path / "none"))
    assert len(D.load(str(tmp_path / "none"))) == 0 and list(D.load(str(tmp_path / "none"))) == []
    os.makedirs(tmp_path / "folder")
    with pytest.raises(tf.errors.NotFoundError, match="Could not find metadata file"):
        D.load(str(tmp_path / "folder"), tf.TensorSpec([], tf.int64))


def test_a_cache_in_files(tmp_path):
    seen = []

    def make():
        return D.range(3).map(
            lambda x: tf.py_function(lambda v: seen.append(1) or v, [x], tf.int64)
        ).cache(str(tmp_path / "c"))

    iterator = iter(make())
    next(iterator)
    with pytest.raises(tf.errors.AlreadyExistsError, match="concurrent caching iterator"):
        next(iter(make()))
    assert [int(x) for x in iterator] == [1, 2] and [int(x) for x in make()] == [0, 1, 2] and len(seen) == 3
