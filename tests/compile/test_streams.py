"""Stateful random ops inside programs: the same streams as interpretation, over calls, in loops and in branches."""

import numpy as np
import pytest

import reflow as tf
from reflow.runtime.interpret import interpret
from tests.compile.plans import steps_of


def straight():
    integers = tf.random.uniform([3], maxval=10, dtype=tf.int32)
    return tf.random.normal([2]), integers, tf.random.truncated_normal([2]), tf.random.uniform([2], dtype=tf.float64)


def loop():
    total = tf.zeros([2])
    for _ in tf.range(3):
        total += tf.random.normal([2])
    return total


def data_dependent_loop():
    """How often it draws is known only when it has run."""
    total, count = tf.zeros([]), 0
    while total < 2.0:
        total += tf.random.uniform([])
        count += 1
    return total, count


def branch():
    sometimes = tf.cond(tf.random.uniform([]) > 0.5, lambda: tf.random.normal([2]), lambda: tf.zeros([2]))
    return sometimes, tf.random.categorical([[1.0, 2.0, 3.0]], 4)


def with_state():
    """Beside a variable that the program writes, and a check."""
    kept.assign_add(tf.random.normal([2]))
    return tf.gather([1.0, 2.0], tf.random.uniform([5], maxval=2, dtype=tf.int32)), kept.read_value()


kept = tf.Variable([0.0, 0.0])


@pytest.mark.parametrize("jit", [None, True])
@pytest.mark.parametrize("program", [straight, loop, data_dependent_loop, branch, with_state], ids=lambda p: p.__name__)
def test_compiled_draws_are_the_interpreted_ones(program, jit):
    tf.random.set_seed(7)
    f = tf.function(program, jit_compile=jit)
    graph = f.get_concrete_function().graph
    streams = []
    for run in (f, lambda: interpret(graph, [t._value for t in graph.external_captures])):
        tf.random.set_seed(7)
        kept.assign([0.0, 0.0])
        streams.append([[np.asarray(t) for t in tf.nest.flatten(run())] for _ in range(5)])
    assert [kind for kind, _ in steps_of(graph)] == ["program"]
    for compiled, interpreted in zip(*streams, strict=True):
        for a, b in zip(compiled, interpreted, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
    firsts = [call[0].tolist() for call in streams[0]]
    assert firsts[0] != firsts[1] != firsts[2]


def test_a_shape_that_changes_keeps_the_stream():
    """Two keys of one region draw from the same counter, and what a program drew moves the interpreter on."""
    tf.random.set_seed(3)
    f = tf.function(lambda n: tf.random.uniform([n]))
    tf.random.set_seed(3)
    sizes = [2, 2, 2, 5, 2, 5, 5]
    drawn = [f(tf.constant(n)).numpy() for n in sizes]
    graph = f.get_concrete_function(tf.constant(2)).graph
    tf.random.set_seed(3)
    for n, numbers in zip(sizes, drawn, strict=True):
        np.testing.assert_array_equal(interpret(graph, [np.asarray(n, np.int32)])[0], numbers)
