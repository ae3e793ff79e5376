"""Surprise: Python in a function happens when the function is traced, not each time it is called."""

import random

import numpy as np
import pytest

import reflow as tf


def test_print_and_append_happen_once(capsys):
    seen = []

    @tf.function
    def f(x):
        print("tracing")
        tf.print("running", x)
        seen.append(x)
        return x

    for value in (1, 2, 3):
        f(tf.constant(value))
    out, err = capsys.readouterr()
    assert out == "tracing\n" and err == "running 1\nrunning 2\nrunning 3\n"
    assert len(seen) == 1


def test_global_values_are_frozen():
    scale = [2.0]

    @tf.function
    def f(x):
        return x * scale[0]

    assert float(f(tf.constant(1.0))) == 2.0
    scale[0] = 3.0
    assert float(f(tf.constant(1.0))) == 2.0  # the old value is in the graph
    assert float(f(tf.constant([1.0]))[0]) == 3.0  # a new trace reads the new one


def test_a_variable_is_not_frozen():
    scale = tf.Variable(2.0)

    @tf.function
    def f(x):
        return x * scale

    assert float(f(tf.constant(1.0))) == 2.0
    scale.assign(3.0)
    assert float(f(tf.constant(1.0))) == 3.0


def test_python_random_numbers_are_frozen():
    @tf.function
    def frozen():
        return tf.constant(random.random()), tf.constant(np.random.rand())

    assert [float(x) for x in frozen()] == [float(x) for x in frozen()]
    fresh = tf.function(lambda: tf.random.uniform([]))
    assert float(fresh()) != float(fresh())


def test_attributes_of_objects_are_frozen():
    class Model:
        bias = 0.0

    model = Model()

    @tf.function
    def f(model, x):
        return x + model.bias

    x = tf.constant(1.0)
    assert float(f(model, x)) == 1.0
    model.bias = 5.0
    assert float(f(model, x)) == 1.0
    fresh = Model()
    fresh.bias = 5.0
    assert float(f(fresh, x)) == 6.0


def test_a_python_loop_is_unrolled_and_a_tensor_loop_is_not():
    def total(n):
        s = tf.constant(0)
        for i in range(n):
            s += i
        return s

    unrolled = tf.function(total).get_concrete_function(20).graph
    loop = tf.function(total).get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    assert len([n for n in unrolled.get_operations() if n.type == "AddV2"]) >= 19
    assert [n.type for n in loop.get_operations() if "While" in n.type] and len(loop.get_operations()) < 20


def test_a_symbolic_tensor_does_not_leave_its_function():
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    f(tf.constant(1))
    with pytest.raises(TypeError, match="out of scope"):
        leaked[0] + 1
    with pytest.raises(TypeError, match="out of scope"):
        tf.function(lambda: leaked[0] + 1)()


def test_appending_in_a_graph_loop_leaks():
    @tf.function
    def f(n):
        found = []
        for i in tf.range(n):
            found.append(i)
        return found[0]

    with pytest.raises(tf.errors.InaccessibleTensorError, match="out of scope"):
        f(tf.constant(3))


def test_variables_are_made_once():
    @tf.function
    def f(x):
        return tf.Variable(1.0) + x

    with pytest.raises(ValueError, match="singleton tf.Variables created on the first call"):
        f(tf.constant(1.0))
