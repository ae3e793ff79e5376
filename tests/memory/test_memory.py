"""Memory stays flat: eager ops, tapes, function calls, traces over ever new shapes."""

import gc

import numpy as np
import pytest

import reflow as tf


def resident() -> int:
    """Resident memory of this process, in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def growth(body, warm_up: int, repeats: int) -> float:
    """How many bytes of resident memory a repeat of `body(i)` leaves behind, after a warm-up."""
    for i in range(warm_up):
        body(i)
    gc.collect()
    before = resident()
    for i in range(warm_up, warm_up + repeats):
        body(i)
    gc.collect()
    return (resident() - before) / repeats


_x = tf.ones([32, 32])


def _eager(i):  # four ops: 25,000 repeats are 100,000 of them
    return tf.reduce_sum(tf.tanh(_x * 2.0) + tf.matmul(_x, _x))


_weight = tf.Variable(tf.ones([32, 32]))


def _tape(i):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(tf.matmul(_weight, _weight)))
    return tape.gradient(loss, _weight)


@tf.custom_gradient
def _doubled(x):
    return x * 2.0, lambda g: g * 2.0


def _custom(i):
    with tf.GradientTape() as tape:
        tape.watch(_x)
        y = _doubled(_x)
    return tape.gradient(y, _x)


_step = tf.function(lambda x: _weight.assign_add(x * 0.0) + x, autograph=False)


def _function(i):
    return _step(_x)


@pytest.mark.parametrize("body, repeats", [(_eager, 25_000), (_tape, 10_000), (_custom, 10_000), (_function, 3_000)])
def test_repeating_leaves_nothing_behind(body, repeats):
    assert growth(body, 300, repeats) < 120  # bytes; one leaked tensor of 32x32 would be 4,096


def test_traces_over_new_shapes_are_bounded():
    from reflow.function.function import MAX_TRACES

    f = tf.function(lambda x: x * 2.0 + 1.0, autograph=False)
    for n in range(1, 400):
        f(np.ones([n], np.float32))
    assert f.experimental_get_tracing_count() == 399
    limited = tf.function(lambda x: x + 1.0, autograph=False)
    for n in range(1, MAX_TRACES + 200):
        limited.get_concrete_function(tf.TensorSpec([n]))
    assert len(limited._traces) <= MAX_TRACES
    assert len(limited._list_all_concrete_functions()) <= MAX_TRACES
