"""Surprise: a function is traced again for each new kind of argument, and Python numbers are kinds of their own."""

import logging

import numpy as np
import pytest

import reflow as tf


@pytest.fixture
def square():
    return tf.function(lambda x: x * x)


def test_tensors_of_one_kind_share_a_trace(square):
    for value in (1.0, 2.0, 3.0):
        square(tf.constant(value))
    assert square.experimental_get_tracing_count() == 1


def test_each_python_number_is_traced(square):
    for value in (1, 2, 3):
        square(value)
    square(2)
    assert square.experimental_get_tracing_count() == 3


def test_arrays_count_as_tensors(square):
    for value in (1, 2, 3):
        square(np.array(value))
    assert square.experimental_get_tracing_count() == 1


def test_each_shape_is_traced_unless_told_otherwise(square):
    for n in (1, 2, 3, 4):
        square(tf.ones([n]))
    assert square.experimental_get_tracing_count() == 4
    general = tf.function(lambda x: x * x, input_signature=[tf.TensorSpec([None])])
    for n in (1, 2, 3, 4):
        general(tf.ones([n]))
    assert general.experimental_get_tracing_count() == 1
    relaxed = tf.function(lambda x: x * x, reduce_retracing=True)
    for n in (1, 2, 3, 4):
        relaxed(tf.ones([n]))
    assert relaxed.experimental_get_tracing_count() == 2


def test_a_function_made_in_a_loop_is_traced_each_time():
    traces = []
    for _ in range(3):
        @tf.function
        def f(x):
            traces.append(1)
            return x

        f(tf.constant(1))
    assert len(traces) == 3


def test_many_traces_warn(caplog):
    @tf.function
    def cube(x):
        return x * x * x

    with caplog.at_level(logging.WARNING, "tensorflow"):
        for value in range(7):
            cube(value)
    first, second = [r.getMessage() for r in caplog.records]
    assert (
        first.startswith("5 out of the last 5 calls to <function") and second.startswith("6 out of the last 6 calls to")
    )
    assert first.endswith("traced because of the argument 'x' (from 3 to 4).")


def test_functions_that_are_used_after_their_trace_do_not_warn(caplog):
    def make():
        return tf.function(lambda x: x + 1)

    with caplog.at_level(logging.WARNING, "tensorflow"):
        for calls in (12,) * 7 + (1,) * 5:
            function = make()  # one place in the source: Keras makes the functions of `fit` like this
            for _ in range(calls):
                function(tf.constant(1.0))
    (warning, *_) = [r.getMessage() for r in caplog.records]
    assert warning.startswith("5 out of the last 16 calls to <function")  # TensorFlow's numbers


def test_calls_that_fail_do_not_count_as_retracing(caplog):
    @tf.function
    def reshaped(x):
        return tf.reshape(tf.py_function(lambda t: t[:1], [x], tf.float32), [2])

    for n in range(1, 8):
        with pytest.raises(tf.errors.InvalidArgumentError):
            reshaped(tf.ones([n]))
    assert "retracing" not in caplog.text
