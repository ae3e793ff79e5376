"""What a watch sees, and that it leaves nothing behind."""

import time

import numpy as np

import reflow as tf
from reflow.commands.watch import Watch
from reflow.compile import plan
from reflow.data import dataset
from reflow.data.engine import values
from reflow.function import retracing


def test_traces_programs_host_work_and_inputs_are_counted():
    with Watch() as watch:
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)

        @tf.function
        def f(word, x):
            return table.lookup(word), tf.reduce_sum(x * 2.0)

        results = [f(tf.constant("a"), tf.constant(float(i)))[1].numpy() for i in range(4)]
        read = [x.numpy() for x in tf.data.Dataset.range(3).map(lambda x: x + 1)]
    assert results == [0.0, 2.0, 4.0, 6.0] and read == [1, 2, 3]
    assert [trace.traced.function.name for trace in watch.traces] == ["f"]
    assert watch.traces[0].code is f.python_function.__code__ and watch.traces[0].caller[0].co_filename == __file__
    assert watch.compiled == 1 and {work.runs for work in watch.host.values()} == {4}
    assert [found.reads for found in watch.inputs] == [3] and len(watch.inputs[0].timed.values) == 2
    assert 0 < watch.compile_seconds < watch.seconds


def test_a_position_that_is_saved_under_watch_is_an_ordinary_one():
    def positions(count):
        iterator = iter(tf.data.Dataset.range(10).shuffle(10, seed=1).batch(2))
        for _ in range(count):
            next(iterator)
        return iterator

    with Watch():
        saved = positions(2)._save()
    plain, restored = positions(2), positions(0)
    restored._restore(saved)
    np.testing.assert_equal([x.numpy() for x in restored], [x.numpy() for x in plain])


def test_nothing_is_left_behind():
    def counts():
        return [len(place) for place in (retracing.LISTENERS, plan.WATCHERS, dataset.LISTENERS, values.WATCHERS)]

    before = counts()
    with Watch():
        assert counts() == [count + 1 for count in before]
    assert counts() == before


def test_datasets_that_a_function_makes_are_no_inputs_of_the_program():
    with Watch() as watch:
        nested = tf.data.Dataset.range(3).flat_map(lambda n: tf.data.Dataset.range(n))
        assert [n.numpy() for n in nested] == [0, 0, 1]
    assert len(watch.inputs) == 1 and len(watch.made_at) == 2


def test_a_loop_inside_of_a_function_waits_for_input_too():
    def slow(n):
        time.sleep(0.005)
        return n

    @tf.function
    def total(data):
        found = tf.constant(0, tf.int64)
        for n in data:
            found += n
        return found

    data = tf.data.Dataset.range(10).map(lambda n: tf.numpy_function(slow, [n], tf.int64))
    with Watch() as watch:
        assert total(data).numpy() == 45
    assert [found.reads for found in watch.inputs] == [10] and watch.inputs[0].waited >= 0.05
    assert watch.host_seconds() < watch.inputs[0].waited  # waiting is not the host's work
