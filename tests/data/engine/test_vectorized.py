"""`map` before `batch`, run once for a batch: the same elements, errors and positions as one by one."""

import numpy as np
import pytest

import reflow as tf
from reflow.data.engine import vectorized

ROWS = np.arange(40, dtype=np.float32).reshape(10, 4)


@pytest.fixture
def blocks(monkeypatch):
    """How many blocks were computed at once."""
    counted = []
    run = vectorized.run_batched
    monkeypatch.setattr(vectorized, "run_batched", lambda *args: counted.append(1) or run(*args))
    return counted


def batches(dataset):
    return [tf.nest.map_structure(lambda t: t.numpy(), element) for element in dataset.batch(3)]


FUNCTIONS = {
    "arithmetic": lambda x: x * 2.0 + 1.0,
    "several results": lambda x: {"sum": tf.reduce_sum(x), "row": x[1:3]},
    "a shape": lambda x: tf.reshape(x, [2, -1])[..., None],
    "axes": lambda x: tf.transpose(tf.reshape(x, [2, 2]), [1, 0]),
    "joined": lambda x: tf.stack([tf.concat([x, [1.0]], 0), tf.ones(5)], axis=-1),
    "one_hot": lambda x: tf.one_hot(tf.cast(x, tf.int32) % 5, 5),
    "one_hot, first axis": lambda x: tf.one_hot(tf.cast(x, tf.int32) % 5, 5, axis=0),
    "a table": lambda x: tf.gather(tf.constant([5.0, 6.0, 7.0]), tf.cast(x, tf.int32) % 3),
    "a constant": lambda x: (x, tf.constant(7)),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_batches_are_those_of_elements(function, blocks):
    source = tf.data.Dataset.from_tensor_slices(ROWS)
    expected = [function(tf.constant(row)) for row in ROWS]
    for i, batch in enumerate(batches(source.map(function))):
        rows = tf.nest.map_structure(lambda *parts: np.stack([p.numpy() for p in parts]), *expected[3 * i : 3 * i + 3])
        tf.nest.map_structure(np.testing.assert_array_equal, batch, rows)
    assert len(blocks) == 4


def test_maps_of_maps_and_of_other_sources(blocks):
    dataset = tf.data.Dataset.from_generator(lambda: iter(range(7)), output_signature=tf.TensorSpec([], tf.int32))
    got = batches(dataset.map(lambda x: x + 1).map(lambda x: (x, x * x)))
    assert [pair[1].tolist() for pair in got] == [[1, 4, 9], [16, 25, 36], [49]]
    assert len(blocks) == 6


def test_captured_tensors_and_variables():
    offset, weight = tf.constant(3.0), tf.Variable(2.0)
    dataset = tf.data.Dataset.from_tensor_slices(ROWS).map(lambda x: x * weight + offset)
    first = batches(dataset)
    weight.assign(0.0)
    np.testing.assert_array_equal(first[0], ROWS[:3] * 2 + 3)
    np.testing.assert_array_equal(batches(dataset)[0], np.full((3, 4), 3.0))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + tf.random.uniform([]),
        lambda x: tf.py_function(lambda v: v, [x], tf.float32),
        lambda x: tf.strings.as_string(x),
    ],
)
def test_what_has_state_or_no_rule_is_called_for_each(function, blocks):
    list(tf.data.Dataset.from_tensor_slices(ROWS).map(function).batch(3))
    assert not blocks


def test_large_elements_are_mapped_one_by_one(blocks):
    list(tf.data.Dataset.from_tensor_slices(np.zeros((4, 100, 100), np.float32)).map(lambda x: x + 1).batch(2))
    assert not blocks


def test_an_error_is_that_of_its_element():
    dataset = tf.data.Dataset.from_tensor_slices([4, 2, 0, 1]).map(lambda x: 8 // x).batch(2)
    iterator = iter(dataset)
    assert next(iterator).numpy().tolist() == [2, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        next(iterator)


def test_a_position_is_saved_and_restored(tmp_path):
    iterator = iter(tf.data.Dataset.range(20).map(lambda x: x * 2).batch(3))
    next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "at"))
    expected = [next(iterator).numpy().tolist() for _ in range(2)]
    tf.train.Checkpoint(iterator=iterator).restore(path)
    assert [next(iterator).numpy().tolist() for _ in range(2)] == expected


def test_a_shuffle_draws_indices_of_what_cannot_fail(blocks):
    numbers = tf.data.Dataset.range(40)
    drawn = [int(x) for x in numbers.shuffle(10, seed=3, reshuffle_each_iteration=False)]
    shuffled = numbers.map(lambda x: x * 2).shuffle(10, seed=3, reshuffle_each_iteration=False)
    assert [x for batch in shuffled.batch(7) for x in batch.numpy()] == [2 * x for x in drawn]
    assert len(blocks) == 6 and [int(x) for x in shuffled] == [2 * x for x in drawn]
    # a division by zero is an error of its element
    assert numbers.map(lambda x: x // 3)._variant_tensor._value.rows is None
