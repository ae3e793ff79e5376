"""Exchanges between processes as ops. `programs/multi_worker.py` runs them in two processes."""

import pytest

import reflow as tf
from reflow.distribute.collectives import gather_over_processes, sum_over_processes


def test_a_process_alone_has_nobody_to_exchange_with():
    assert sum_over_processes([]) == []
    with pytest.raises(tf.errors.FailedPreconditionError, match="has not joined any others"):
        sum_over_processes([tf.constant(1.0)])


def test_what_is_known_about_the_results_while_tracing():
    def traced(x, y):
        first, second = sum_over_processes([x, y])
        return first, second, gather_over_processes(x, -1)

    graph = tf.function(traced).get_concrete_function(tf.TensorSpec([2, 3]), tf.TensorSpec([], tf.int32))
    shapes = [(t.dtype, t.shape.as_list()) for t in graph.outputs]
    assert shapes == [(tf.float32, [2, 3]), (tf.int32, []), (tf.float32, [2, None])]
