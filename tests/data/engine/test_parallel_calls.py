"""Calls ahead on threads: single elements and blocks, their order, positions and errors."""

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


def test_a_batch_that_would_be_huge_is_stacked_from_the_rows_that_there_are():
    assert [len(c) for e in batches(D.range(3), lambda x: tf.fill([2], x), 1 << 40).iterate() for c in e] == [3]


def test_what_follows_an_error_is_in_the_next_batch():
    stage = batches(D.range(7), lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "m"), 3)
    iterator = stage.iterate()
    with pytest.raises(tf.errors.InvalidArgumentError, match="m : Tensor had Inf"):
        next(iterator)
    assert [c.tolist() for e in iterator for c in e] == [[1, 0.5, np.float32(1 / 3)], [0.25, np.float32(0.2)]]


def test_rows_of_different_shapes_are_refused_with_their_numbers():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"First element had shape \[0\] and element 1 had shape \[1\]"):
        elements(batches(D.range(3), tf.range, 3))


def test_an_error_of_the_input_waits_for_its_turn():
    def numbers():
        yield from range(4)
        raise KeyError("no fifth number")

    iterator = batches(D.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64)), lambda x: x + 1, 2).iterate()
    assert [next(iterator)[0].tolist() for _ in range(2)] == [[1, 2], [3, 4]]
    with pytest.raises(tf.errors.UnknownError, match="no fifth number"):
        next(iterator)
