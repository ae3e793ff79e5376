"""Loops that are recurrent layers: which become ONNX' operators, and that those compute the same. Others stay loops."""

import numpy as np
import pytest

import reflow as tf
from tests.onnx.round_trip import floats, operators, round_trip

WIDTH, UNITS, LENGTH = 3, 4, 5
X = floats(2, LENGTH, WIDTH)


def layers():
    return tf.keras.layers


def model(layer):
    """A function of a batch of sequences; weights are larger than a new layer's, so that states matter."""
    x = tf.keras.Input((LENGTH, WIDTH))
    made = tf.keras.Model(x, layer(x))
    for i, weight in enumerate(made.weights):
        weight.assign(floats(*weight.shape, seed=i) / 2)
    return made


LAYERS = {
    "LSTM": (lambda k: k.LSTM(UNITS), ["LSTM"]),
    "all states": (lambda k: k.LSTM(UNITS, return_sequences=True), ["LSTM"]),
    "last states": (lambda k: k.LSTM(UNITS, return_state=True), ["LSTM"]),
    "no bias": (lambda k: k.LSTM(UNITS, use_bias=False), ["LSTM"]),
    "both ways": (lambda k: k.Bidirectional(k.LSTM(UNITS, return_sequences=True)), ["LSTM", "LSTM"]),
    "GRU": (lambda k: k.GRU(UNITS), ["GRU"]),
    "GRU, reset before": (lambda k: k.GRU(UNITS, reset_after=False, return_sequences=True), ["GRU"]),
    "backwards": (lambda k: k.GRU(UNITS, go_backwards=True, return_sequences=True), ["GRU"]),
    "RNN": (lambda k: k.SimpleRNN(UNITS), ["RNN"]),
    "RNN of another activation": (lambda k: k.SimpleRNN(UNITS, activation="relu"), ["RNN"]),
    "other gates": (lambda k: k.LSTM(UNITS, recurrent_activation="hard_sigmoid"), ["Loop"]),
    "another activation": (lambda k: k.GRU(UNITS, activation="elu"), ["Loop"]),
    "two cells": (lambda k: k.RNN([k.LSTMCell(UNITS), k.GRUCell(UNITS)]), ["Loop"]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_keras(name):
    make, kinds = LAYERS[name]
    proto = round_trip(model(make(layers())), X)
    assert [kind for kind in operators(proto) if kind in ("LSTM", "GRU", "RNN", "Loop")] == kinds


def test_a_batch_of_one():
    proto = round_trip(model(layers().LSTM(UNITS)), X[:1], specs=[tf.TensorSpec([1, LENGTH, WIDTH], name="x")])
    assert "LSTM" in operators(proto) and "Loop" not in operators(proto)


W, R, B = floats(WIDTH, UNITS, seed=1), floats(UNITS, UNITS, seed=2) / 2, floats(UNITS, seed=3)


def by_hand(step, trips=LENGTH, first=0):
    """A function that runs a cell along a sequence."""

    def function(x):
        sequence = tf.TensorArray(tf.float32, LENGTH).unstack(tf.transpose(x, [1, 0, 2]))
        start = first, tf.zeros([tf.shape(x)[0], UNITS])
        return tf.while_loop(lambda i, h: i < trips, lambda i, h: (i + 1, step(sequence.read(i), h)), start)[1]

    return tf.function(function)


def simple(x, h):
    return tf.tanh(B + tf.matmul(h, R) + tf.matmul(x, W))


HAND = {
    "a cell": (by_hand(simple), "RNN"),
    "an end before the sequence's": (by_hand(simple, trips=LENGTH - 1), "Loop"),
    "a later start": (by_hand(simple, first=1), "Loop"),
    "a state that is added": (by_hand(lambda x, h: tf.tanh(h + tf.matmul(x, W))), "Loop"),
    "weights of the inputs": (
        by_hand(lambda x, h: tf.tanh(tf.matmul(x, W) + tf.matmul(h, tf.matmul(h, h, transpose_a=True)))), "Loop"
    ),
    "a sum that is more": (
        by_hand(lambda x, h: tf.tanh(tf.matmul(x, W) + tf.matmul(x * x, W) + tf.matmul(h, R))), "Loop"
    ),
}


@pytest.mark.parametrize("name", HAND)
def test_loops_by_hand(name):
    function, kind = HAND[name]
    proto = round_trip(function, X)
    assert kind in operators(proto) and len({"RNN", "Loop"} & set(operators(proto))) == 1


def test_weights_stand_in_onnx_order():
    """Input, output, forget, cell: Keras has input, forget, cell, output."""
    made = model(layers().LSTM(UNITS))
    proto = tf.onnx.export(made, specs=[tf.TensorSpec([None, LENGTH, WIDTH], name="x")])
    [node] = [n for n in proto.graph.node if n.op_type == "LSTM"]
    [held] = [w for w in proto.graph.initializer if w.name == node.input[1]]
    given, found = np.split(made.weights[0].numpy(), 4, 1), np.frombuffer(held.raw_data, np.float32).reshape(held.dims)
    np.testing.assert_array_equal(found[0], np.concatenate([given[i] for i in (0, 3, 1, 2)], 1).T)
