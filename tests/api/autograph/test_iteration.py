"""Loops over datasets, iterators and ragged tensors, and their options."""

import pytest

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def test_tensor_array_in_loop_and_branch():
    @tf.function
    def even(n):
        found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            if i % 2 == 0:
                found = found.write(found.size(), i * i)
        return found.stack()

    assert even(tf.constant(7)).numpy().tolist() == [0, 4, 16, 36]


def test_loop_over_dataset():
    @tf.function
    def total(dataset):
        s, n = tf.constant(0, tf.int64), 0
        for x in dataset:
            if x > 5:
                break
            if x == 2:
                continue
            s += x
            n += 1
        return s, n

    s, n = total(tf.data.Dataset.range(100))
    assert (int(s), int(n)) == (13, 5)


def test_loop_over_dataset_of_tuples_without_variables():
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def run(dataset):
        for a, b in dataset:
            v.assign_add(a * b)

    run(tf.data.Dataset.zip((tf.data.Dataset.range(4), tf.data.Dataset.range(1, 5))))
    assert int(v) == 0 + 2 + 6 + 12


def test_loop_over_iterator():
    @tf.function
    def total(iterator):
        s = tf.constant(0, tf.int64)
        for x in iterator:
            s += x
        return s

    iterator = iter(tf.data.Dataset.range(10))
    next(iterator), next(iterator)
    assert int(total(iterator)) == 44


def test_enumerate_zip_map_filter_of_datasets():
    @tf.function
    def run():
        s = tf.constant(0, tf.int64)
        for i, x in enumerate(tf.data.Dataset.range(3, 6)):
            s += i * x
        for a, b in zip(tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)):
            s += a * b
        for y in map(lambda x: x * 2, tf.data.Dataset.range(3)):
            s += y
        for y in filter(lambda x: x > 1, tf.data.Dataset.range(4)):
            s += y
        return s, len(tf.data.Dataset.range(7))

    s, n = run()
    assert int(s) == (4 + 10) + (11 + 24) + 6 + 5
    assert int(n) == 7


def test_rows_of_a_ragged_tensor():
    @tf.function
    def total(r):
        s = 0
        for row in r:
            s += tf.reduce_max(row)
        return s

    assert int(total(tf.ragged.constant([[1, 2], [7]]))) == 9


def test_shape_invariants():
    @tf.function
    def grow(n):
        v = tf.constant([0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
            v = tf.concat([v, [i]], 0)
        return v

    assert grow(tf.constant(3)).numpy().tolist() == [0, 0, 1, 2]


def test_maximum_iterations():
    @tf.function
    def f(n):
        s = 0
        while s < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3, parallel_iterations=2)
            s += 1
        return s

    assert int(f(tf.constant(10))) == 3 and int(f(tf.constant(2))) == 2


def test_loop_that_returns_must_run():
    @tf.function
    def first(n):
        for i in tf.range(n):
            return i

    assert int(first(tf.constant(3))) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once"):
        first(tf.constant(0))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_elements_of_an_iterator_that_are_not_used(n):
    @tf.function
    def count(elements, v):
        s = 0
        for _ in elements:
            v.assign_add(1)
            s = 10
        return s

    v = tf.Variable(0)
    assert int(count(iter(tf.data.Dataset.range(n)), v)) == (10 if n else 0) and int(v) == n
