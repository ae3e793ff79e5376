"""Datasets that hold elements back: prefetch, and its threads."""

import gc
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import reflow as tf
from reflow.data.engine.buffers import Channel
from tests.data.threads import prefetch_threads, wait_until

D = tf.data.Dataset


def test_a_finished_prefetch_ends_its_thread():
    before = len(prefetch_threads())
    assert len(list(D.range(100).prefetch(2))) == 100
    assert wait_until(lambda: len(prefetch_threads()) == before)


def test_an_abandoned_prefetch_ends_its_thread():
    before = len(prefetch_threads())
    iterator = iter(D.range(10**9).prefetch(2).prefetch(3))
    next(iterator)
    assert len(prefetch_threads()) > before
    del iterator
    gc.collect()
    assert wait_until(lambda: len(prefetch_threads()) == before)


def test_prefetch_reads_ahead_only_up_to_its_limit():
    read = []

    def generate():
        for i in range(100):
            read.append(i)
            yield i

    iterator = iter(D.from_generator(generate, tf.int32, []).prefetch(3))
    next(iterator)
    assert wait_until(lambda: len(read) >= 4)
    time.sleep(0.05)
    assert len(read) <= 5


def test_the_first_element_is_read_by_the_caller():
    threads = []

    def generate():
        for i in range(3):
            threads.append(threading.current_thread().name)
            yield i

    assert [int(x) for x in D.from_generator(generate, tf.int32, []).prefetch(2)] == [0, 1, 2]
    assert threads == [threading.current_thread().name, "reflow-prefetch", "reflow-prefetch"]


def test_a_prefetch_of_one_element_needs_no_thread():
    before = len(prefetch_threads())
    iterator = iter(D.range(1).prefetch(2))
    assert int(next(iterator)) == 0
    assert len(prefetch_threads()) == before
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(iterator)


def test_an_input_that_has_ended_is_not_read_again():
    calls = []

    def generate():
        calls.append(1)
        return iter(())

    iterator = iter(D.from_generator(generate, tf.int32, []).prefetch(2))
    for _ in range(3):
        with pytest.raises(StopIteration):
            next(iterator)
    assert calls == [1]


def test_errors_are_delivered_in_order():
    ds = D.from_tensor_slices([0, 1, 7, 1]).map(lambda i: tf.gather([10, 20], i)).prefetch(10)
    iterator = iter(ds)
    assert int(next(iterator)) == 10
    time.sleep(0.05)
    assert int(next(iterator)) == 20
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert int(next(iterator)) == 20
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)


def test_the_interpreter_exits_with_threads_at_work():
    program = """
        import reflow as tf
        iterator = iter(tf.data.Dataset.range(10**9).map(lambda x: x + 1).prefetch(4))
        print(int(next(iterator)))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "1", "")


def test_new_seeds_for_each_shuffle_without_seeds():
    ds = D.range(50).shuffle(50)
    assert sorted(int(x) for x in ds) == list(range(50))
    assert [int(x) for x in ds] != [int(x) for x in ds]


def test_a_queue_that_tunes_itself_stays_within_its_budget():
    for budget, most in ((10**9, 16), (5 * 800, 5), (1, 2)):
        channel = Channel(iter([[np.zeros(100)]] * 3), 2, True, budget)
        channel.start()
        channel.get()
        assert channel.most == most
        channel.close()


class LosesItsLock(threading.Condition):
    """An interrupt strikes in `wait` before the lock is taken again."""

    def wait(self, timeout=None):
        self.release()
        raise KeyboardInterrupt


def test_an_interrupt_while_waiting_is_told():
    channel = Channel(iter(()), 1, tuned=False)
    channel.changed = LosesItsLock()
    with pytest.raises(KeyboardInterrupt):
        channel.get()


def test_the_elements_that_wait_are_those_without_an_error():
    channel = Channel(iter(()), 3, tuned=False)
    channel.queue.extend([([1], None), (None, ValueError()), ([2], None)])
    assert list(channel.waiting()) == [[1], [2]]
