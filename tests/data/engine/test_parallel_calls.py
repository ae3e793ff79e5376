"""Calls ahead on threads: single elements and blocks, their order, positions and errors."""

import threading

import numpy as np
import pytest

import reflow as tf
from reflow.data.engine import parallel_calls
from reflow.data.engine.batches import Batch
from reflow.data.engine.functions import ParallelMap
from tests.data.engine.datasets import elements, restored_everywhere, value_of

D = tf.data.Dataset


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch):
    """Threads copy components of any size, and begin but one row of the next block."""
    monkeypatch.setattr(parallel_calls, "LARGE", 1)
    monkeypatch.setattr(parallel_calls, "AHEAD", 1)


def on_threads(source, function):
    """A `map` by three threads, whatever its function does."""
    stage = value_of(source.map(function, num_parallel_calls=3))
    assert isinstance(stage, ParallelMap)
    return stage.changed(overlaps=True)


def batches(source, function, size):
    return Batch(on_threads(source, function), size, False)


def test_single_elements_keep_their_order_and_positions():
    assert restored_everywhere(on_threads(D.range(9), lambda x: x * 2)) == [[x] for x in range(0, 18, 2)]


def test_blocks_have_the_rows_of_batches_at_every_position():
    """Of the components one is a flipped view, one a text, which is stacked after all."""

    def function(x):
        return tf.reverse(tf.stack([x, x + 1, x * 2]), [0]), tf.strings.as_string(x)

    rows = [([2 * x, x + 1, x], str(x).encode()) for x in range(10)]
    expected = [[list(column) for column in zip(*rows[at : at + 4], strict=True)] for at in (0, 4, 8)]
    assert restored_everywhere(batches(D.range(10), function, 4)) == expected


def test_rows_are_copied_into_the_batch():
    iterator = on_threads(D.range(5), lambda x: tf.fill([2], x)).iterate()
    count, (column,) = iterator.next_block(3)
    assert count == 3 and column.tolist() == [[0, 0], [1, 1], [2, 2]] and column.base is not None
    assert next(iterator)[0].tolist() == [3, 3]  # single elements go on where blocks have ended
    assert [iterator.next_block(3)[0] for _ in range(2)] == [1, 0]


def pictures(*outputs):
    """Batches of six pictures, some rows to a thread, of which `outputs` are made; and what each output should be."""
    numbers = np.arange(14 * 128 * 128, dtype=np.float32).reshape(14, 128, 128, 1)
    small = tf.image.resize(numbers, [64, 64]).numpy()

    def function(x):
        picture = tf.image.resize(x, [64, 64])
        return tuple(f(picture) for f in outputs)

    stage = batches(D.from_tensor_slices(numbers), function, 6)
    return stage, [np.stack([f(tf.constant(x)) for x in small]) for f in outputs]


OUTPUTS = {
    "as they are": [lambda x: x],
    "turned": [lambda x: tf.reverse(x, [1])],
    "turned twice": [lambda x: tf.reverse(x, [0, 1])],
    "transposed": [lambda x: tf.transpose(x, [1, 0, 2])],
    "others beside": [lambda x: tf.reverse(x, [1]), lambda x: x, lambda x: x[:2, :2], lambda x: tf.reverse(x, [1])],
    "computed from": [lambda x: x + 1, lambda x: x[3]],
}


@pytest.mark.parametrize("outputs", OUTPUTS.values(), ids=OUTPUTS)
def test_pictures_are_made_in_the_batch(outputs, monkeypatch):
    monkeypatch.setattr(parallel_calls, "SHARES", 1)
    monkeypatch.setattr(parallel_calls, "AHEAD", 4)
    stage, expected = pictures(*outputs)
    columns = zip(*elements(stage), strict=True)
    for column, right in zip(columns, expected, strict=True):
        np.testing.assert_array_equal(np.concatenate([np.array(batch) for batch in column]), right)


@pytest.mark.parametrize(("outputs", "placed"), [("as they are", 13), ("turned", 13), ("others beside", 0)])
def test_pictures_that_nobody_else_sees_are_not_copied(outputs, placed, monkeypatch):
    """The first row of a block shows how large its rows are."""
    settle, found = parallel_calls.Block._settle, []

    def watched(self, offer, values, index):
        settle(self, offer, values, index)
        found.append(values[index] is None)

    monkeypatch.setattr(parallel_calls.Block, "_settle", watched)
    stage, _ = pictures(*OUTPUTS[outputs])
    iterator = stage.inputs[0].changed(workers=1).iterate()
    assert iterator.next_block(14)[0] == 14 and found.count(True) == placed == (len(found) if placed else 0)


def test_a_batch_that_would_be_huge_is_stacked_from_the_rows_that_there_are():
    assert [len(c) for e in batches(D.range(3), lambda x: tf.fill([2], x), 1 << 40).iterate() for c in e] == [3]


def test_what_follows_an_error_is_in_the_next_batch():
    stage = batches(D.range(7), lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "m"), 3)
    iterator = stage.iterate()
    with pytest.raises(tf.errors.InvalidArgumentError, match="m : Tensor had Inf"):
        next(iterator)
    assert [c.tolist() for e in iterator for c in e] == [[1, 0.5, np.float32(1 / 3)], [0.25, np.float32(0.2)]]


def test_rows_of_different_shapes_are_refused_with_their_numbers():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"First element had shape \[0\] and element 1 had shape \[1\]"
    ):
        elements(batches(D.range(3), tf.range, 3))


def test_an_error_of_the_input_waits_for_its_turn():
    def numbers():
        yield from range(4)
        raise KeyError("no fifth number")

    iterator = batches(
        D.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64)), lambda x: x + 1, 2
    ).iterate()
    assert [next(iterator)[0].tolist() for _ in range(2)] == [[1, 2], [3, 4]]
    with pytest.raises(tf.errors.UnknownError, match="no fifth number"):
        next(iterator)


def mapped_by_waiting(first: threading.Event, deterministic, options=None):
    """A map by two threads, the first of whose calls waits for an event. It is called within a branch."""

    def wait(x):
        assert first.wait(60)
        return x

    def function(x):
        return tf.cond(x == 0, lambda: tf.numpy_function(wait, [x], tf.int64), lambda: x)

    dataset = D.range(6).map(function, num_parallel_calls=2, deterministic=deterministic)
    return dataset.with_options(options) if options else dataset


def unordered_options():
    options = tf.data.Options()
    options.deterministic = False
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    return options


@pytest.mark.parametrize("deterministic, options", [(False, None), (None, unordered_options())])
def test_a_slow_call_is_passed_where_the_order_is_open(deterministic, options):
    first = threading.Event()
    iterator = iter(mapped_by_waiting(first, deterministic, options))
    assert [int(next(iterator)) for _ in range(5)] == [1, 2, 3, 4, 5]
    first.set()
    assert [int(x) for x in iterator] == [0]


@pytest.mark.parametrize("deterministic, options", [(True, unordered_options()), (None, None)])
def test_order_is_kept_elsewhere(deterministic, options):
    first = threading.Event()
    first.set()
    assert [int(x) for x in mapped_by_waiting(first, deterministic, options)] == list(range(6))


def test_a_position_holds_the_call_that_was_passed(tmp_path):
    first = threading.Event()
    dataset = mapped_by_waiting(first, False, unordered_options())
    iterator = iter(dataset)
    assert [int(next(iterator)) for _ in range(3)] == [1, 2, 3]
    path = tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "position"))
    first.set()
    fresh = iter(dataset)
    tf.train.Checkpoint(iterator=fresh).read(path)
    assert sorted(int(x) for x in fresh) == sorted(int(x) for x in iterator) == [0, 4, 5]


def test_a_map_that_only_the_rewrite_made_parallel_keeps_its_order():
    dataset = D.range(20).map(
        lambda x: tf.strings.length(tf.io.read_file("/dev/null")) + tf.cast(x, tf.int32)
    ).with_options(unordered_options())
    assert [int(x) for x in dataset] == list(range(20))
