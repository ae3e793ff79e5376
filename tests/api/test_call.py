"""How public functions call ops: conversion of operands, names of nodes,
and what the fast path leaves to the general one."""

import numpy as np
import pytest

import reflow as tf
from reflow.api.call import call, operands, same_dtype
from reflow.core.context import state


def test_python_numbers_take_the_dtype_of_the_tensor_beside_them():
    x, y = operands(tf.constant([1, 2], tf.int8), 3)
    assert y.dtype is tf.int8
    x, y = operands(2, tf.constant([1.0], tf.float64))
    assert x.dtype is tf.float64
    assert [t.dtype for t in same_dtype(1, tf.constant(2.0), 3)] == [tf.float32] * 3


def test_a_number_that_does_not_fit_is_refused_unless_the_op_may_say_so():
    with pytest.raises(TypeError):
        operands(tf.constant([1]), 1.5)
    x, y = operands(tf.constant([1]), 1.5, lenient=True)
    assert (x.dtype, y.dtype) == (tf.int32, tf.float32)


def test_numpy_arrays_are_cast():
    _, y = operands(tf.constant([1]), np.array([1.5]))
    assert y.dtype is tf.int32 and y.numpy().tolist() == [1]


def test_a_label_names_the_node():
    graph = tf.Graph()
    with graph.as_default():
        assert call("Neg", (tf.constant(1.0),), label="mine").op.name == "mine"
        assert call("Neg", (tf.constant(1.0),)).op.name == "Neg"
    assert float(call("Neg", (tf.constant(1.0),), label="mine")) == -1.0  # eager ops have no name


def test_a_tape_sees_what_the_fast_path_would_hide():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x) + tf.multiply(x, x)
    assert tape.gradient(y, x) is not None and not state.tapes


def test_wrong_shapes_are_told_in_tensorflows_words():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"):
        tf.add(tf.ones([2]), tf.ones([3]))


def test_functions_look_as_their_descriptions_say():
    assert tf.tanh.__name__ == "tanh" and tf.tanh.__doc__ and tf.tanh.__module__.startswith("reflow.api.math")
