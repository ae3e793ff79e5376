"""Iterators in checkpoints: their position is saved and restored, into the same iterator and into a new one."""

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors
from reflow.data import positions

D = tf.data.Dataset
PIPELINES = {
    "range": lambda: D.range(10),
    "map": lambda: D.range(10).map(lambda x: x * 2, num_parallel_calls=2),
    "shuffle": lambda: D.range(10).shuffle(4, seed=1),
    "batch": lambda: D.range(10).batch(2).prefetch(2),
    "strings": lambda: D.from_tensor_slices(["a", "bb", "c", "d", "e"]).shuffle(3, seed=2),
    "zip": lambda: D.zip((D.range(9), D.range(5, 20).filter(lambda x: x % 2 == 0))),
    "interleave": lambda: D.range(4).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2),
    "flat_map": lambda: D.range(5).flat_map(D.range),
    "scan": lambda: D.range(8).scan(np.int64(0), lambda s, x: (s + x, s + x)),
    "repeat": lambda: D.range(3).repeat(),
    "cache": lambda: D.range(6).cache().repeat(2),
    "window": lambda: D.range(6).window(2, 1, drop_remainder=True).flat_map(lambda w: w.batch(2)),
    "ragged": lambda: D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [4], [5, 6]])).shuffle(3, seed=1),
    "unbatch": lambda: D.range(10).batch(3).unbatch(),
    "nested": lambda: D.from_tensors(D.range(3)).repeat(3).flat_map(lambda x: x),
}


def _texts(iterator, count):
    return [
        str(tf.nest.map_structure(lambda t: t if hasattr(t, "to_list") else t.numpy(), next(iterator)))
        for _ in range(count)
    ]


@pytest.mark.parametrize("name", PIPELINES)
def test_restored_iterator_goes_on(name, tmp_path):
    dataset = PIPELINES[name]()
    iterator = iter(dataset)
    _texts(iterator, 2)
    checkpoint = tf.train.Checkpoint(it=iterator)
    path = checkpoint.write(str(tmp_path / "c"))
    expected = _texts(iterator, 2)
    checkpoint.read(path).assert_consumed()
    assert _texts(iterator, 2) == expected
    fresh = iter(dataset)
    tf.train.Checkpoint(it=fresh).read(path)
    assert _texts(fresh, 2) == expected


def test_encoding_is_exact():
    position = {
        "at": 3, 2: (None, True, 1.5), "held": [np.array([[1, 2]], np.int8), np.array([b"x", b""], object)],
        "b": b"\xff",
    }
    back = positions.decode(positions.encode(position))
    assert (back["at"], back[2], back["b"]) == (3, (None, True, 1.5), b"\xff")
    assert back["held"][0].dtype == np.int8 and back["held"][0].tolist() == [[1, 2]]
    assert back["held"][1].tolist() == [b"x", b""]


def test_what_cannot_be_written_or_read_is_said():
    with pytest.raises(errors.UnimplementedError, match="object"):
        positions.encode([object()])
    with pytest.raises(errors.DataLossError, match="not saved by Reflow"):
        positions.decode(b"\x08\x01")


def test_a_position_as_a_string(tmp_path):
    """As graphs save it: `SerializeIterator`, a string in a file, and back."""
    path = str(tmp_path / "position")
    numbers = D.range(6)
    iterator = iter(numbers)
    assert [int(next(iterator)) for _ in range(2)] == [0, 1]
    tf.io.write_file(
        path, tf.io.serialize_tensor(tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource))
    )
    fresh = iter(numbers)
    position = tf.io.parse_tensor(tf.io.read_file(path), tf.variant)
    tf.raw_ops.DeserializeIterator(resource_handle=fresh._iterator_resource, serialized=position)
    assert [int(x) for x in fresh] == [2, 3, 4, 5]


def test_writing_a_file_is_an_operation_of_a_graph(tmp_path):
    with tf.Graph().as_default():
        assert tf.io.write_file(str(tmp_path / "a"), "text").type == "WriteFile"
