"""Calls of several threads become one batch, and each gets its own rows back (`reflow/queues/batching.py`)."""

import threading

import numpy as np
import pytest

import reflow as tf

LONG = 20_000_000  # microseconds: nobody waits so long


def in_threads(*functions):
    """The results of functions that run at the same time."""
    results: dict = {}
    threads = [threading.Thread(target=lambda i=i, f=f: results.__setitem__(i, f())) for i, f in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return [results[i] for i in range(len(functions))]


def test_calls_are_joined_and_taken_apart():
    sizes = []

    @tf.nondifferentiable_batch_function(1, 3, LONG)
    def doubled(x):
        return tf.numpy_function(lambda v: sizes.append(len(v)) or 2 * v, [x], tf.float32)

    rows = [np.full((n, 2), n, np.float32) for n in (1, 2)]
    for row, result in zip(rows, in_threads(*[lambda r=r: doubled(tf.constant(r)) for r in rows])):
        np.testing.assert_array_equal(result.numpy(), 2 * row)
    assert sizes == [3]


def test_sizes():
    sizes = []

    def seen(x):
        return tf.numpy_function(lambda v: sizes.append(len(v)) or v, [x], tf.float32)

    padded = tf.nondifferentiable_batch_function(1, 8, 0, allowed_batch_sizes=[4, 8])(seen)
    assert padded(tf.ones([3])).shape == (3,) and sizes == [4]
    split = tf.nondifferentiable_batch_function(1, 2, 0)(seen)
    assert split(tf.ones([5])).shape == (5,) and sizes[1:] == [2, 2, 1]
    refused = tf.nondifferentiable_batch_function(1, 2, 0, enable_large_batch_splitting=False)(seen)
    with pytest.raises(tf.errors.InvalidArgumentError, match="larger than maximum"):
        refused(tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="0th dimension"):
        tf.nondifferentiable_batch_function(1, 2, 0)(tf.reduce_sum)(tf.ones([2]))


def test_a_batch_goes_to_one_caller_and_its_parts_to_all():
    how = dict(num_batch_threads=1, max_batch_size=2, batch_timeout_micros=LONG, grad_timeout_micros=0)

    def call(value):
        (batched,), index, number = tf.raw_ops.Batch(in_tensors=[tf.fill([1, 2], value)], **how)
        part = tf.raw_ops.Unbatch(batched_tensor=batched + 1.0, batch_index=index, id=number, timeout_micros=LONG)
        grad = tf.raw_ops.UnbatchGrad(original_input=batched, batch_index=index, grad=part * 10.0, id=number)
        return batched.shape[0], part.numpy().tolist(), grad.numpy().tolist()

    found = in_threads(lambda: call(1.0), lambda: call(5.0))
    assert sorted(rows for rows, *_ in found) == [0, 2]
    assert [part for _, part, _ in found] == [[[2.0, 2.0]], [[6.0, 6.0]]]
    assert sorted(next(grad for rows, _, grad in found if rows)) == [[20.0, 20.0], [60.0, 60.0]]
    with pytest.raises(tf.errors.DeadlineExceededError):
        nothing = tf.zeros([0, 3], tf.int64)
        tf.raw_ops.Unbatch(batched_tensor=[[1.0]], batch_index=nothing, id=tf.constant(7, tf.int64), timeout_micros=1)
