"""The interpreter: host values through host kernels, one instruction after the other."""

import gc
import weakref

import jax
import numpy as np
import pytest

import reflow as tf
from reflow.core.resources import Handle
from reflow.runtime.interpret import host_value, interpret
from tests.compile.plans import graph_of, raw
from tests.eager.test_never_compiles import compilations


def run(function, *arguments):
    graph = graph_of(function, *arguments)
    return [np.asarray(x).tolist() for x in interpret(graph, raw(graph, *arguments))]


def test_it_gives_what_eager_code_gives():
    def f(x):
        return tf.reduce_sum(tf.exp(x)), tf.cond(x[0] > 0.0, lambda: x * 2.0, lambda: -x), tf.strings.as_string(x)

    x = tf.constant([1.0, 2.0])
    total, branch, text = run(f, x)
    assert branch == [2.0, 4.0] and text == [b"1.000000", b"2.000000"]
    assert total == pytest.approx(float(np.exp([1.0, 2.0]).sum()), rel=1e-6)


def test_nothing_is_compiled():
    graph = graph_of(lambda x: tf.while_loop(lambda y: y < 50.0, lambda y: [y * 2.0], [x]), tf.constant(1.0))
    with compilations() as seen:
        for _ in range(3):
            assert float(interpret(graph, [np.float32(3.0)])[0]) == 96.0
    assert not seen


def test_device_arrays_become_host_arrays():
    graph = graph_of(lambda x: x + 1.0, tf.TensorSpec([2]))
    (out,) = interpret(graph, [jax.numpy.ones(2)])
    assert type(out) is np.ndarray and out.tolist() == [2.0, 2.0]
    handle = tf.Variable(1.0).handle._value
    assert isinstance(handle, Handle) and host_value(handle) is handle


def test_state_is_written():
    v = tf.Variable(1.0)
    graph = graph_of(lambda x: v.assign_add(x), tf.constant(2.0))
    interpret(graph, raw(graph, tf.constant(2.0)))
    assert float(v) == 3.0


def test_arguments_are_not_written():
    x = np.ones(3, np.float32)
    graph = graph_of(lambda t: tf.tensor_scatter_nd_update(t, [[0]], [9.0]), tf.TensorSpec([3]))
    assert interpret(graph, [x])[0].tolist() == [9.0, 1.0, 1.0] and x.tolist() == [1.0, 1.0, 1.0]


def test_intermediate_values_are_freed_as_soon_as_nothing_needs_them():
    """A chain of ten large results needs room for two."""
    alive, most = [], []

    def note(x):
        gc.collect()
        alive.append(weakref.ref(x))
        most.append(sum(ref() is not None for ref in alive))
        return x + 1.0

    def f(x):
        for _ in range(5):
            x = tf.numpy_function(note, [x], tf.float32)
        return x

    graph = graph_of(f, tf.TensorSpec([1000]))
    interpret(graph, [np.zeros(1000, np.float32)])
    assert len(most) == 5 and max(most) <= 3


def test_an_error_names_the_node_and_the_users_line():
    def f(x):
        return tf.reshape(x, [5])  # does not fit

    graph = graph_of(f, tf.TensorSpec([None]))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        interpret(graph, [np.zeros(3, np.float32)])
    text = str(caught.value)
    assert "Input to reshape is a tensor with 3 values, but the requested shape has 5" in text
    assert "# does not fit" in text and __file__ in text and "{{node" in text


def test_checks_fire():
    graph = graph_of(lambda x, i: tf.gather(x, i), tf.TensorSpec([3]), tf.TensorSpec([], tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="7 is not in"):
        interpret(graph, [np.zeros(3, np.float32), np.int32(7)])


def test_tapes_outside_see_nothing_of_it():
    graph = graph_of(lambda x: x * x, tf.TensorSpec([]))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        interpret(graph, [x._value])
        y = x + 1.0
    assert float(tape.gradient(y, x)) == 1.0
