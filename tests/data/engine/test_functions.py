"""Datasets that call functions on elements: order, positions, errors."""

import threading

import numpy as np
import pytest

import reflow as tf
from reflow.data.engine import functions
from tests.data.engine.datasets import restored_everywhere, value_of

D = tf.data.Dataset
PIPELINES = {
    "map": (lambda: D.range(4).map(lambda x: x * x), [0, 1, 4, 9]),
    "parallel map": (lambda: D.range(4).map(lambda x: x * x, num_parallel_calls=2), [0, 1, 4, 9]),
    "filter": (lambda: D.range(6).filter(lambda x: x % 2 == 1), [1, 3, 5]),
    "take_while": (lambda: D.range(6).take_while(lambda x: x < 2), [0, 1]),
    "scan": (lambda: D.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s)), [0, 0, 1, 3]),
    "flat_map": (lambda: D.range(4).flat_map(lambda x: D.range(x)), [0, 0, 1, 0, 1, 2]),
    "interleave": (
        lambda: D.range(2).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2), [0, 1, 0, 1, 0, 1]
    ),
    "blocks": (
        lambda: D.range(2).interleave(lambda x: D.from_tensors(x).repeat(3), 2, block_length=2), [0, 0, 1, 1, 0, 1]
    ),
    "group": (lambda: D.range(4).group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), 2), [[0, 2], [1, 3]]),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_elements_and_positions(name):
    make, expected = PIPELINES[name]
    assert [e[0] for e in restored_everywhere(value_of(make()))] == expected


def test_a_parallel_map_uses_threads_and_keeps_the_order():
    seen = set()

    def note(x):
        seen.add(threading.current_thread().name)
        return x

    dataset = D.range(20).map(lambda x: tf.numpy_function(note, [x], tf.int64), num_parallel_calls=3)
    assert [int(x) for x in dataset] == list(range(20))
    assert threading.main_thread().name not in seen


def test_an_error_comes_where_its_element_would():
    dataset = D.range(4).map(
        lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "m"), num_parallel_calls=4
    )
    iterator = iter(dataset)
    next(iterator), next(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert float(next(iterator)) == 1.0


def test_a_filter_of_elements_in_memory_tests_many_at_once(monkeypatch):
    monkeypatch.setattr(functions, "BLOCK", 4)
    dataset = value_of(D.range(12).map(lambda x: x * 3).filter(lambda x: x % 2 == 1))
    assert dataset.iterate().looks_ahead
    assert [e[0] for e in restored_everywhere(dataset)] == [3, 9, 15, 21, 27, 33]
    assert not value_of(
        D.from_generator(lambda: [1], output_signature=tf.TensorSpec([])).filter(lambda x: x > 0)
    ).iterate().looks_ahead


def test_an_error_of_a_filter_comes_where_its_element_would(monkeypatch):
    monkeypatch.setattr(functions, "BLOCK", 4)
    iterator = value_of(D.range(7).filter(lambda x: 6 // (x - 2) < 6)).iterate()
    assert [int(next(iterator)[0]) for _ in range(2)] == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        next(iterator)
    assert [int(e[0]) for e in iterator] == [4, 5, 6]


def stops(x, dtype=tf.int64):
    def stop(_):
        raise StopIteration

    return tf.numpy_function(stop, [x], dtype, stateful=False)


def parallel_filter():
    options = tf.data.Options()
    options.experimental_optimization.filter_parallelization = True
    return tf.data.Dataset.range(5).with_options(options).filter(lambda x: stops(x, tf.bool))


# what TensorFlow raises
ENDS = {
    "filter": (lambda ds: ds.filter(lambda x: stops(x, tf.bool)), tf.errors.InternalError),
    "take_while": (lambda ds: ds.take_while(lambda x: stops(x, tf.bool)), tf.errors.InternalError),
    "flat_map": (lambda ds: ds.flat_map(lambda x: tf.data.Dataset.from_tensors(stops(x))), tf.errors.InternalError),
    "interleave": (lambda ds: ds.interleave(lambda x: tf.data.Dataset.from_tensors(stops(x))), tf.errors.InternalError),
    "group_by_window": (
        lambda ds: ds.group_by_window(stops, lambda key, window: window.batch(2), 2), tf.errors.InternalError
    ),
    "parallel filter": (lambda ds: parallel_filter(), tf.errors.InvalidArgumentError),
    "scan": (lambda ds: ds.scan(np.int64(0), lambda s, x: (s, stops(x))), tf.errors.InvalidArgumentError),
    "map": (lambda ds: ds.map(stops), tf.errors.InvalidArgumentError),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_function_that_is_out_of_range_does_not_end_its_dataset(name):
    make, error = ENDS[name]
    with pytest.raises(error, match="OutOfRange"):
        list(make(tf.data.Dataset.range(5)))
