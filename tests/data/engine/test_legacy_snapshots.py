"""The older snapshot: what an iterator does in each state of the folder."""

import os

import pytest

import reflow as tf
from reflow.drop_in.python.data.experimental.ops.snapshot import legacy_snapshot


def numbers(*args, **how):
    return tf.data.Dataset.range(10).apply(legacy_snapshot(*args, **how))


def values(dataset):
    return [int(x) for x in dataset]


def folders(path) -> dict[str, int]:
    """Each folder below a path that holds files of elements, and their number."""
    found = {
        os.path.relpath(base, path): sum(name.endswith(".snapshot") for name in names)
        for base, _, names in os.walk(path)
    }
    return {name: count for name, count in found.items() if count}


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
def test_the_first_pass_is_written_and_later_ones_are_read(tmp_path, compression):
    calls = []
    source = tf.data.Dataset.range(10).map(lambda x: tf.py_function(lambda y: calls.append(1) or y, [x], tf.int64))
    dataset = source.apply(legacy_snapshot(str(tmp_path), compression=compression))
    assert values(dataset.repeat(3)) == list(range(10)) * 3 and len(calls) == 10
    assert list(folders(tmp_path).values()) == [1]


def test_while_another_writes_elements_are_passed_on(tmp_path):
    first, second = iter(numbers(str(tmp_path))), iter(numbers(str(tmp_path)))
    assert [(int(a), int(b)) for a, b in zip(first, second, strict=True)] == [(i, i) for i in range(10)]
    assert len(folders(tmp_path)) == 1


def test_a_run_that_was_given_up_expires(tmp_path, monkeypatch):
    from reflow.data.engine import legacy_snapshots

    how = {"pending_snapshot_expiry_seconds": 5}
    unfinished = iter(numbers(str(tmp_path), **how))
    next(unfinished), next(unfinished)
    now = legacy_snapshots.time.time()
    monkeypatch.setattr(legacy_snapshots.time, "time", lambda: now + 10)
    assert values(numbers(str(tmp_path), **how)) == list(range(10))
    assert len(folders(tmp_path)) == 2


def test_modes(tmp_path):
    path = str(tmp_path)
    assert values(numbers(path, mode="passthrough")) == list(range(10)) and not folders(path)
    with pytest.raises(tf.errors.NotFoundError):
        values(numbers(path, mode="read"))
    assert values(numbers(path, mode="write", snapshot_name="mine").repeat(2)) == list(range(10)) * 2
    assert folders(path) == {"custom-mine/custom": 1}
    os.rename(tmp_path / "custom-mine", tmp_path / "custom-other")
    assert (
        values(tf.data.Dataset.range(0).apply(legacy_snapshot(path, mode="read", snapshot_name="other")))
        == list(range(10))
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode must be"):
        numbers(path, mode="sideways")


def test_files_have_a_size_and_are_read_in_a_random_order(tmp_path):
    how = {"shard_size_bytes": 10}
    assert values(numbers(str(tmp_path), **how)) == list(range(10))
    assert next(iter(folders(tmp_path).values())) > 2
    shuffled = [values(numbers(str(tmp_path), shuffle_on_read=True, shuffle_seed=5, **how)) for _ in range(2)]
    assert shuffled[0] == shuffled[1] != list(range(10)) and sorted(shuffled[0]) == list(range(10))


def test_positions(tmp_path):
    dataset = numbers(str(tmp_path)).repeat(2)
    for taken in (0, 4, 10, 13):
        iterator = dataset.as_numpy_iterator()
        for _ in range(taken):
            next(iterator)
        saved, rest = iterator.save(), [int(x) for x in iterator]
        again = dataset.as_numpy_iterator()
        again.restore(saved)
        assert [int(x) for x in again] == rest
