"""Writing ONNX graphs."""

import numpy as np

import reflow as tf
from reflow.onnx.writer import Model, Scope, Value, constant
from tests.onnx.round_trip import floats, operators, round_trip


def test_names_are_given_once():
    model = Model()
    assert [model.fresh("a"), model.fresh("a"), model.fresh("a_1"), model.fresh("a")] == ["a", "a_1", "a_1_1", "a_2"]


def test_equal_small_constants_are_one():
    scope = Scope(Model())
    x = Value(tf.float32, (2,), "x")
    scope.op("Add", x, constant([1.0, 2.0]))
    scope.op("Add", x, constant([1.0, 2.0]))
    assert len(scope.model.weights) == 1


def test_what_follows_from_weights_is_computed():
    weights = tf.Variable(floats(3, 4))
    proto = round_trip(lambda x: tf.matmul(x, tf.nn.relu(weights) * 2.0) + tf.reduce_sum(weights), floats(2, 3))
    assert operators(proto) == ["MatMul", "Add"]


def test_calls_are_inlined_and_identities_left_out():
    inner = tf.function(lambda x: tf.stop_gradient(x) + 1.0)
    assert operators(round_trip(lambda x: tf.identity(inner(inner(x))), floats(2))) == ["Add", "Add"]


def test_an_output_that_is_an_input_or_given_twice():
    def function(x):
        y = x + 1.0
        return x, y, y, tf.constant([1, 2])

    assert len({o.name for o in round_trip(function, floats(2)).graph.output}) == 4


def test_transpositions_of_transpositions():
    proto = round_trip(lambda x: tf.transpose(tf.transpose(x, [1, 2, 0]), [2, 0, 1]), floats(2, 3, 4))
    assert operators(proto) == []
    assert np.array_equal(Scope(Model()).transpose(constant([[1, 2]]), [1, 0]).array, [[1], [2]])
