"""Functions that another thread can stop while they wait."""

import threading

import pytest

import reflow as tf
from reflow.drop_in.python.eager.cancellation import CancellationManager


def test_stopped_before_it_runs_and_while_it_waits():
    queue = tf.queue.FIFOQueue(1, tf.int32)
    dequeue = tf.function(lambda: queue.dequeue()).get_concrete_function()
    queue.enqueue(37)
    manager = CancellationManager()
    function = manager.get_cancelable_function(dequeue)
    assert function().numpy() == 37
    stop = threading.Timer(0.05, manager.start_cancel)
    stop.start()
    with pytest.raises(tf.errors.CancelledError):
        function()
    stop.join()
    assert manager.is_cancelled
    with pytest.raises(tf.errors.CancelledError):
        function()
