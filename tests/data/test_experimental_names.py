"""`reflow/data/experimental_names.py`: what TensorFlow prints for the expressions of `experimental_names.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_debug_mode_runs_functions_as_python():
    seen = []

    def double(x):
        if tf.executing_eagerly():
            seen.append(int(x))
        return x * 2

    tf.__internal__.data.toggle_debug_mode(True)
    try:
        ds = tf.data.Dataset.range(3).map(double, num_parallel_calls=2)
        assert [int(x) for x in ds] == [0, 2, 4] and seen == [0, 1, 2]
        assert ds.element_spec == tf.TensorSpec([], tf.int64)
    finally:
        tf.__internal__.data.toggle_debug_mode(False)


def test_all_elements_in_random_order_by_their_index():
    ds = tf.data.Dataset.range(20).map(lambda x: x * 2).batch(2, drop_remainder=True).prefetch(1)
    shuffled = tf.__internal__.data._global_shuffle(ds, seed=5)
    first, second = ([int(x[0]) for x in shuffled] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(0, 40, 4)) and first != second
    iterator = iter(shuffled)
    next(iterator)
    position, rest = iterator._save(), [int(x[0]) for x in iterator]
    again = iter(shuffled)
    again._restore(position)
    assert [int(x[0]) for x in again] == rest


def test_elements_on_a_device_and_on_none():
    ds = tf.data.Dataset.range(2)
    assert [int(x) for x in ds.apply(tf.data.experimental.copy_to_device("/cpu:0"))] == [0, 1]
    with pytest.raises(Exception, match="GPU:7"):
        list(ds.apply(tf.data.experimental.copy_to_device("/gpu:7")))
    with pytest.raises(ValueError, match="make their elements on the CPU"):
        tf.data.experimental.copy_to_device("/cpu:0", "/gpu:0")


def test_padding_to_a_size():
    pad = tf.data.experimental.pad_to_cardinality
    with pytest.raises(ValueError, match="to be a dictionary"):
        tf.data.Dataset.range(2).apply(pad(3))
    with pytest.raises(ValueError, match="less than the target"):
        tf.data.Dataset.range(5).apply(pad(3))
