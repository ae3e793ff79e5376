"""Memory stays flat: eager ops, tapes, function calls, traces over ever new shapes."""

import gc
import importlib
import os
import weakref

import numpy as np
import pytest

import reflow as tf
from reflow.compile.runner import plan_of
from reflow.graph.func_graph import FuncGraph

function = importlib.import_module("reflow.function.function")


def resident() -> int:
    """Resident memory of this process, in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def growth(body, warm_up: int, repeats: int) -> float:
    """How many bytes of resident memory a repeat of `body(i)` leaves behind, after a warm-up.

    The least of three stretches: what leaks does so in each of them, what another thread of the process allocates
    meanwhile does not.
    """
    for i in range(warm_up):
        body(i)
    stretches = []
    for first in range(warm_up, warm_up + repeats, repeats // 3):
        gc.collect()
        before = resident()
        for i in range(first, first + repeats // 3):
            body(i)
        gc.collect()
        stretches.append((resident() - before) / (repeats // 3))
    return min(stretches)


_x = tf.ones([32, 32])


def _eager(i):  # four ops
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


@pytest.mark.parametrize("body, repeats", [(_eager, 9_000), (_tape, 3_000), (_custom, 3_000), (_function, 2_100)])
def test_repeating_leaves_nothing_behind(body, repeats):
    assert growth(body, 300, repeats) < 120  # bytes; one leaked tensor of 32x32 would be 4,096


_scale = tf.Variable([1.0, 2.0, 3.0, 4.0])


@tf.function
def _trained(x):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.tanh(x[:, None] * _scale))
        if y > 1e6:
            y = y * 0.5
    _scale.assign_sub(tape.gradient(y, _scale) * 1e-9)
    return y


#: make memory: as many traces as the issue says; otherwise a slice of them with smaller bounds
LONG = bool(os.environ.get("REFLOW_LONG_TESTS"))
TRACES = 10_000 if LONG else 120


def test_tracing_over_ever_new_shapes_keeps_memory_bounded(monkeypatch):
    if not LONG:
        monkeypatch.setattr(function, "MAX_TRACES", 20)
    bound = function.MAX_TRACES
    traced, before, grown = _trained.experimental_get_tracing_count(), 0, []
    for i in range(1, TRACES + 1):
        _trained(tf.ones([i]))
        if i % (TRACES // 4) == 0:
            gc.collect()
            grown.append(resident() - before)
            before = resident()
    assert _trained.experimental_get_tracing_count() - traced == TRACES
    assert len(_trained._traces) == len(_trained._structures) == bound and len(_trained._fast) <= bound
    # a trace of this function takes some 60 kB: of 30 more, or 2,500, next to nothing may stay. The first stretches
    # also fill the heap.
    assert min(grown[2:]) < (10e6 if LONG else 1e6)
    live = sum(isinstance(x, FuncGraph) and x.name == "_trained" for x in gc.get_objects())
    assert live <= bound + 1


def test_only_the_newest_traces_keep_their_programs(monkeypatch):
    monkeypatch.setattr(function, "MAX_COMPILED", 2)
    f = tf.function(lambda x: tf.sin(x) + 1.0, autograph=False)
    for n in range(1, 6):
        for _ in range(3):
            f(tf.ones([n]))
    planned = [bool(plan_of.known(c.graph)) for c in f._list_all_concrete_functions()]
    assert planned == [False, False, False, True, True]
    for _ in range(3):
        assert f(tf.ones([1])).numpy().shape == (1,)
    assert plan_of.known(f._list_all_concrete_functions()[0].graph)


def test_large_traces_count_by_their_nodes(monkeypatch):
    monkeypatch.setattr(function, "MAX_NODES", 100)

    def chain(x):
        for _ in range(20):
            x = tf.tanh(x)
        return x

    f = tf.function(chain, autograph=False)
    for n in range(1, 12):
        f(tf.ones([n]))
    assert len(f._structures) == 4 and f._nodes == sum(len(c.graph.nodes) for _, c in f._structures) <= 100


def test_objects_in_arguments_are_not_kept_alive():
    class Thing:
        pass

    f = tf.function(lambda thing, x: x + 1.0, autograph=False)
    thing = Thing()
    gone = weakref.ref(thing)
    f(thing, tf.constant(1.0))
    f(thing, tf.constant(1.0))
    assert f.experimental_get_tracing_count() == 1
    del thing
    gc.collect()
    assert gone() is None
    f(Thing(), tf.constant(1.0))
    assert f.experimental_get_tracing_count() == 2


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
