"""Datasets that choose, repeat and arrange elements."""

import weakref

import pytest

import reflow as tf
from reflow.data.engine.order import Concatenate, Repeat, Shard, Skip, Take, Unique, Zip
from reflow.data.engine.values import INFINITE, UNKNOWN
from tests.data.engine.datasets import numbers, restored_everywhere, value_of

DATASETS = {
    "take": (lambda: Take(numbers(5), 2), [0, 1], 2),
    "take all": (lambda: Take(numbers(3), -1), [0, 1, 2], 3),
    "take more": (lambda: Take(numbers(3), 9), [0, 1, 2], 3),
    "skip": (lambda: Skip(numbers(5), 3), [3, 4], 2),
    "skip all": (lambda: Skip(numbers(5), -1), [], 0),
    "shard": (lambda: Shard(numbers(5), 2, 1), [1, 3], 2),
    "concatenate": (lambda: Concatenate(numbers(2), numbers(1)), [0, 1, 0], 3),
    "repeat": (lambda: Repeat(numbers(2), 2), [0, 1, 0, 1], 4),
    "repeat nothing": (lambda: Repeat(numbers(0), -1), [], 0),
    "unique": (lambda: Unique(value_of(tf.data.Dataset.from_tensor_slices([1, 2, 1]))), [1, 2], UNKNOWN),
}


@pytest.mark.parametrize("name", DATASETS)
def test_elements_positions_and_cardinality(name):
    make, expected, cardinality = DATASETS[name]
    dataset = make()
    assert [e[0] for e in restored_everywhere(dataset)] == expected
    assert dataset.cardinality() == cardinality


def test_zip_ends_with_the_shortest():
    assert restored_everywhere(Zip([numbers(2), numbers(5)])) == [[0, 0], [1, 1]]


def test_endless():
    forever = Repeat(numbers(2), -1)
    assert forever.cardinality() == INFINITE and Take(forever, 3).cardinality() == 3
    assert [e[0] for e in restored_everywhere(Take(forever, 3))] == [0, 1, 0]


def test_a_bad_shard():
    with pytest.raises(tf.errors.InvalidArgumentError, match="index"):
        list(Shard(numbers(5), 2, 2).iterate())


def test_take_lets_go_of_a_generator():
    class Endless:
        def __iter__(self):
            return self

        def __next__(self):
            return 42

    begun = []

    def generate():
        begun.append(weakref.ref(source := Endless()))
        return source

    dataset = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int64)).take(2)
    iterator = iter(dataset)
    assert [int(x) for x in iterator] == [42, 42]
    assert begun[0]() is None


def test_elements_stay_on_cpus_that_a_session_asks_for():
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        elements = tf.data.Dataset.range(2).apply(tf.data.experimental.prefetch_to_device("/cpu:1"))
        following = v1.data.make_one_shot_iterator(elements).get_next()
        with v1.Session(config=v1.ConfigProto(device_count={"CPU": 2})) as session:
            assert [session.run(following) for _ in range(2)] == [0, 1]
            names = [d.name for d in session.list_devices()]
            assert names == [f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(2)]
        with v1.Session() as session, pytest.raises(RuntimeError, match="CPU:1 unknown device"):
            session.run(following)
