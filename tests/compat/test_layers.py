"""Layers and recurrent cells of version 1: names of variables, sharing by scopes, and numbers worked out with NumPy.

TensorFlow 2.21 has them no longer, so nothing is recorded.
"""

import inspect

import numpy as np
import pytest

import reflow as tf
from reflow.compat.layers.base import Layer

v1 = tf.compat.v1


def names() -> list:
    return [v.name for v in v1.global_variables()]


def filled(value):
    return v1.constant_initializer(value)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_a_convolutional_network_has_the_names_of_version_1():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 8, 8, 3])
        training = v1.placeholder_with_default(False, [])
        h = v1.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu, kernel_initializer=filled(0.1))
        pooling = h = v1.layers.max_pooling2d(h, 2, 2)
        normal = v1.layers.batch_normalization(h, training=training)
        h = v1.layers.dropout(v1.layers.flatten(normal), 0.5, training=training)
        y = v1.layers.dense(h, 2, kernel_regularizer=lambda w: tf.reduce_sum(w * w))
        assert names() == [
            "conv2d/kernel:0",
            "conv2d/bias:0",
            "batch_normalization/gamma:0",
            "batch_normalization/beta:0",
            "batch_normalization/moving_mean:0",
            "batch_normalization/moving_variance:0",
            "dense/kernel:0",
            "dense/bias:0",
        ]
        assert (y.name, y.shape.as_list()) == ("dense/BiasAdd:0", [None, 2])
        assert len(v1.trainable_variables()) == 6 and len(v1.losses.get_regularization_losses()) == 1
        updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
        session.run(v1.global_variables_initializer())
        picture = np.random.RandomState(0).rand(2, 8, 8, 3).astype("f")
        got = session.run(normal, {x: picture, training: True})
        np.testing.assert_allclose(got.mean((0, 1, 2)), 0, atol=1e-5)
        session.run(updates, {x: picture, training: True})
        pooled = session.run(pooling, {x: picture})
        moved = session.run("batch_normalization/moving_mean:0")
        np.testing.assert_allclose(moved, 0.01 * pooled.mean((0, 1, 2)), rtol=1e-4)


def test_layers_share_variables_by_their_names():
    with tf.Graph().as_default():
        x = tf.ones([2, 3])
        v1.layers.dense(x, 4, name="shared")
        v1.layers.dense(x, 4, name="shared", reuse=True)
        assert names() == ["shared/kernel:0", "shared/bias:0"]
        with pytest.raises(ValueError, match="already exists"):
            v1.layers.dense(x, 4, name="shared")
        layer = v1.layers.Dense(5)
        layer(x)
        layer(x)
        assert [v.name for v in layer.trainable_variables] == ["dense/kernel:0", "dense/bias:0"]
        assert isinstance(layer, Layer) and layer.name == "dense"
        with pytest.raises(ValueError, match="should be defined"):
            v1.layers.dense(v1.placeholder(tf.float32, [2, None]), 3)
        shapes = [
            v1.layers.conv1d(tf.ones([2, 5, 3]), 4, 2).shape.as_list(),
            v1.layers.conv2d_transpose(tf.ones([1, 4, 4, 2]), 3, 3, strides=2, padding="same").shape.as_list(),
            v1.layers.conv3d_transpose(tf.ones([1, 2, 3, 4, 2]), 3, 3, strides=2).shape.as_list(),
            v1.layers.separable_conv2d(
                tf.ones([1, 6, 6, 2]), 5, 3, pointwise_regularizer=tf.reduce_sum
            ).shape.as_list(),
            v1.layers.average_pooling1d(tf.ones([1, 6, 2]), 2, 2).shape.as_list(),
        ]
        assert shapes == [[2, 4, 4], [1, 8, 8, 3], [1, 5, 7, 9, 3], [1, 4, 4, 5], [1, 3, 2]]
        assert len(v1.losses.get_regularization_losses()) == 1


def test_dynamic_rnn_steps_through_cells_and_stops_at_the_lengths():
    x = np.linspace(-1, 1, 2 * 4 * 3).reshape(2, 4, 3).astype("f")
    with tf.Graph().as_default(), v1.Session() as session:
        cells = v1.nn.rnn_cell
        with v1.variable_scope("m", initializer=filled(0.1)):
            both = cells.MultiRNNCell([cells.BasicLSTMCell(4), cells.GRUCell(3)])
            outputs, (lstm, gru) = v1.nn.dynamic_rnn(both, tf.constant(x), [4, 2], dtype=tf.float32)
        assert names()[:3] == [
            "m/rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel:0",
            "m/rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias:0",
            "m/rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel:0",
        ]
        slopes = v1.gradients(tf.reduce_sum(outputs), v1.trainable_variables())
        session.run(v1.global_variables_initializer())
        got, last, memory, slope = session.run([outputs, gru, lstm.c, slopes])
    for row, length in enumerate((4, 2)):
        c, h, g = np.zeros(4), np.zeros(4), np.zeros(3)
        for time in range(length):
            gate = 0.1 * (x[row, time].sum() + h.sum()) * np.ones(4)
            c = c * sigmoid(gate + 1) + sigmoid(gate) * np.tanh(gate)
            h = np.tanh(c) * sigmoid(gate)
            gates = sigmoid(0.1 * (h.sum() + g.sum()) + 1)
            g = gates * g + (1 - gates) * np.tanh(0.1 * (h.sum() + (gates * g).sum()) * np.ones(3))
            np.testing.assert_allclose(got[row, time], g, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(got[row, length:], 0)
        np.testing.assert_allclose(last[row], g, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(memory[row], c, rtol=1e-4, atol=1e-6)
    assert all(np.abs(s).sum() > 0 for s in slope)


def test_other_loops_agree_with_dynamic_rnn():
    x = np.random.RandomState(1).rand(2, 3, 2).astype("f")
    with tf.Graph().as_default(), v1.Session() as session:
        cells = v1.nn.rnn_cell
        cell = cells.LSTMCell(3, use_peepholes=True, num_proj=2, initializer=filled(0.3))
        data = tf.constant(x)
        dynamic, state = v1.nn.dynamic_rnn(cell, data, dtype=tf.float32, scope="a")
        with v1.variable_scope("a", reuse=True):
            steps, last = v1.nn.static_rnn(cell, tf.unstack(data, axis=1), dtype=tf.float32)
        array = tf.TensorArray(tf.float32, 3).unstack(tf.transpose(data, [1, 0, 2]))

        def loop(time, output, state, loop_state):
            done = time >= tf.constant([3, 3])
            following = tf.cond(tf.reduce_all(done), lambda: tf.zeros([2, 2]), lambda: array.read(time))
            return done, following, cell.zero_state(2, tf.float32) if state is None else state, output, None

        emitted, _, _ = v1.nn.raw_rnn(cell, loop)
        (ahead, back), _ = v1.nn.bidirectional_dynamic_rnn(
            cells.BasicRNNCell(2), cells.ResidualWrapper(cells.DropoutWrapper(cells.BasicRNNCell(2), 1.0)), data,
            dtype=tf.float32,
        )
        session.run(v1.global_variables_initializer())
        one, two, three = session.run([dynamic, tf.stack(steps, 1), tf.transpose(emitted.stack(), [1, 0, 2])])
        np.testing.assert_allclose(one, two, rtol=1e-6)
        np.testing.assert_allclose(one, three, rtol=1e-6)
        np.testing.assert_allclose(*session.run([state.c, last.c]), rtol=1e-6)
        assert session.run([ahead, back])[1].shape == (2, 3, 2)
        assert isinstance(state, cells.LSTMStateTuple)
        with pytest.raises(ValueError, match="dtype"):
            v1.nn.dynamic_rnn(cells.GRUCell(2), data)


def test_a_constant_says_at_once_whether_it_is_training():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        kept = v1.layers.dropout(tf.ones([4]), 0.5, training=tf.constant(False))
        v1.layers.dropout(tf.ones([4]), 0.5, training=tf.convert_to_tensor("train"))  # what is not empty is true
        assert not {"If", "StatelessIf", "Switch"} & {node.type for node in graph.get_operations()}
        assert session.run(kept).tolist() == [1.0] * 4


def test_convolutions_take_their_arguments_by_place():
    """As TensorFlow 1.15 has them: `name` and `reuse` are the last two of 19 arguments,
    and may be given by position."""
    parameters = list(inspect.signature(tf.compat.v1.layers.conv2d).parameters)
    assert parameters[:5] == ["inputs", "filters", "kernel_size", "strides", "padding"]
    assert parameters[-3:] == ["trainable", "name", "reuse"] and len(parameters) == 19
    with tf.Graph().as_default():
        given = [
            4, 3, (1, 1), "same", "channels_last", (1, 1), None, True, None, None, None, None, None, None, None, True,
            "first",
        ]
        tf.compat.v1.layers.conv2d(tf.zeros([1, 5, 5, 2]), *given, None)
        tf.compat.v1.layers.conv2d(tf.zeros([1, 5, 5, 2]), *given, True)
        assert [v.name for v in tf.compat.v1.trainable_variables()] == ["first/kernel:0", "first/bias:0"]


def test_dense_needs_a_known_depth():
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match=r"to a Dense layer should be defined. Found None. .*: \(None, None\)"),
    ):
        tf.compat.v1.layers.dense(tf.compat.v1.placeholder(tf.float32, [None, None]), 2)


def test_cells_are_built_before_they_are_called():
    """`build` makes the variables in the cell's scope; the call finds them."""
    for kind in (v1.nn.rnn_cell.BasicRNNCell, v1.nn.rnn_cell.GRUCell, v1.nn.rnn_cell.LSTMCell):
        with tf.Graph().as_default():
            for _ in range(2):
                cell = kind(3)
                cell.build(tf.TensorShape([5, 7]))
                before = names()
                cell(tf.zeros([5, 7]), cell.get_initial_state(None, 5, tf.float32))
                assert names() == before and len({v.name.split("/")[0] for v in cell.variables}) == 1
            assert len({name.split("/")[0] for name in names()}) == 2
    with tf.Graph().as_default():
        layer = v1.layers.Dense(2, name="dense")
        layer.build([None, 3])
        layer(tf.zeros([1, 3]))
        assert names() == ["dense/kernel:0", "dense/bias:0"]


@pytest.mark.parametrize("kind", ["BasicRNNCell", "GRUCell", "BasicLSTMCell", "LSTMCell"])
def test_cells_compute_with_fractions(kind):
    make = getattr(v1.nn.rnn_cell, kind)
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="only supports floating point inputs, but saw dtype: <dtype: 'int32'>"):
            make(2, dtype=tf.int32)
        with pytest.raises(ValueError, match="RNN cell only supports floating"):
            cell = make(2)
            cell(tf.zeros([3, 4], tf.int32), cell.zero_state(3, tf.int32))


def test_first_states():
    cell = v1.nn.rnn_cell.BasicRNNCell(5)
    with tf.Graph().as_default():
        inputs = v1.placeholder(tf.float32, (None, 4))
        for arguments, message in (
            ((None, None, None), "batch_size and dtype cannot be None .* initial state: batch_size=None, dtype=None"),
            ((inputs, 50, None), "batch size from input tensor is different from"),
            ((inputs, tf.constant(50), None), "batch size from input tensor is different from"),
            ((inputs, None, tf.int16), "dtype from input tensor is different from"),
        ):  # fmt: skip
            with pytest.raises(ValueError, match=message):
                cell.get_initial_state(*arguments)
        assert cell.get_initial_state(inputs).shape.as_list() == [None, 5]


def test_activations_and_initializers_by_name():
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([[-1.0, 2.0]])
        found = [
            v1.layers.dense(x, 1, activation="relu", kernel_initializer="ones", bias_initializer="ones"),
            v1.layers.conv1d(x[:, :, None], 1, 1, activation="elu", kernel_initializer="ones"),
            v1.layers.separable_conv2d(x[:, None, :, None], 1, 1, activation="swish", depthwise_initializer="zeros"),
            v1.nn.rnn_cell.BasicRNNCell(2, activation="linear")(x, tf.zeros([1, 2]))[0] * 0.0,
        ]
        session.run(v1.global_variables_initializer())
        dense, convolved, separable, cell = (value.ravel().tolist() for value in session.run(found))
        assert dense == [2.0] and separable == [0.0, 0.0] and cell == [0.0, 0.0]
        assert convolved == pytest.approx([-0.6321206, 2.0])
        for arguments in ({"activation": "nothing"}, {"kernel_initializer": "nothing"}):
            with pytest.raises(ValueError, match=r"Unknown (activation function|initializer): 'nothing'"):
                v1.layers.dense(x, 1, **arguments)


def test_a_cell_that_reuses_variables_has_no_scope_of_its_own():
    """As in the language models of 2017, whose copies for validation are built with `reuse=True`."""

    def outputs(reuse):
        with v1.variable_scope("model", reuse=reuse):
            cells = [v1.nn.rnn_cell.BasicLSTMCell(2, reuse=reuse) for _ in range(2)]
            stacked = v1.nn.rnn_cell.MultiRNNCell(cells)
            return stacked(tf.ones([1, 3]), stacked.zero_state(1, tf.float32))[0]

    with tf.Graph().as_default(), v1.Session() as session:
        trained, validated = outputs(None), outputs(True)
        assert len(v1.global_variables()) == 4
        session.run(v1.global_variables_initializer())
        mine, other = session.run([trained, validated])
        assert mine.tolist() == other.tolist()
