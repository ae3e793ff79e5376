"""What runs eager ops."""

import pytest

import reflow as tf
from reflow.drop_in.python.eager import cancellation, context, executor


def test_ops_are_done_when_they_return():
    one = executor.new_executor(enable_async=False)
    one.wait()
    assert not one.is_async()


def test_a_cancellable_function_runs_beside():
    queue = tf.queue.FIFOQueue(1, tf.int32)
    one, manager = executor.new_executor(enable_async=True), cancellation.CancellationManager()
    with context.executor_scope(one):
        assert manager.get_cancelable_function(tf.function(queue.dequeue).get_concrete_function())() is None
    manager.start_cancel()
    with pytest.raises(tf.errors.CancelledError):
        one.wait()
    one.wait()
    queue.enqueue(1)  # ends the thread
