"""Graphs as JAX functions."""

import numpy as np

import reflow as tf
from reflow.compile.as_jax import whole_function


def graph_of(function, *specs):
    return tf.function(function).get_concrete_function(*specs).graph


def test_a_graph_that_is_one_program():
    v = tf.Variable([1.0, 2.0])
    graph = graph_of(lambda x: tf.reduce_sum(x * v), tf.TensorSpec([2]))
    assert whole_function(graph) is None
    function = whole_function(graph, reads_variables=True)
    captures = [t._value for t in graph.external_captures]
    assert float(function(captures, [np.float32([3.0, 4.0])])[0]) == 11.0
    v.assign([0.0, 1.0])
    assert float(function(captures, [np.float32([3.0, 4.0])])[0]) == 4.0


def test_what_is_not_one():
    v = tf.Variable(1.0)
    for function in (lambda x: v.assign_add(x), lambda x: tf.random.normal([2]), lambda x: tf.strings.as_string(x)):
        assert whole_function(graph_of(function, tf.TensorSpec([])), reads_variables=True) is None
