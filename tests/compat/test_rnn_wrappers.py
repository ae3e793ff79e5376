"""`reflow/compat/rnn/wrappers.py`: dropout, residual connections and devices around cells of both versions."""

import numpy as np
import pytest

import reflow as tf

cells = tf.compat.v1.nn.rnn_cell


class Echo(cells.RNNCell):
    """Gives its inputs and its state back."""

    state_size, output_size = cells.LSTMStateTuple(3, 3), 3

    def call(self, inputs, state):
        return inputs, state


def one_step(cell, batch=2):
    ones = tf.ones([batch, 3])
    return cell(ones, cells.LSTMStateTuple(ones, ones))


def test_dropout_leaves_the_memory_of_an_lstm_and_draws_for_each_part():
    output, state = one_step(cells.DropoutWrapper(Echo(), output_keep_prob=0.5, state_keep_prob=0.5, seed=1), batch=50)
    assert set(np.unique(output)) == set(np.unique(state.h)) == {0.0, 2.0}
    assert np.all(state.c == 1.0) and np.any(state.h != output)
    every = cells.DropoutWrapper(Echo(), state_keep_prob=0.5, seed=1, dropout_state_filter_visitor=lambda _: True)
    assert np.any(one_step(every, batch=50)[1].c == 0.0)


def test_variational_dropout_drops_the_same_in_every_step_and_row():
    options = {"variational_recurrent": True, "dtype": tf.float32, "seed": 4}
    cell = cells.DropoutWrapper(Echo(), input_keep_prob=0.5, input_size=3, **options)
    first, second = one_step(cell)[0], one_step(cell)[0]
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first[0], first[1])
    with pytest.raises(ValueError, match="input_size must be provided"):
        cells.DropoutWrapper(Echo(), input_keep_prob=0.5, **options)
    with pytest.raises(ValueError, match="dtype must be provided"):
        cells.DropoutWrapper(Echo(), variational_recurrent=True)
    with pytest.raises(ValueError, match="input_keep_prob must be between 0 and 1"):
        cells.DropoutWrapper(Echo(), input_keep_prob=1.5)


def test_wrappers_of_version_2_take_cells_of_keras():
    cell = tf.nn.RNNCellResidualWrapper(tf.nn.RNNCellDeviceWrapper(tf.keras.layers.GRUCell(2), "/CPU:0"))
    outputs = tf.keras.layers.RNN(cell, return_sequences=True)(tf.ones([1, 3, 2]))
    assert outputs.shape == (1, 3, 2) and len(cell.trainable_variables) == 3
    dropping = tf.nn.RNNCellDropoutWrapper(tf.keras.layers.GRUCell(2), output_keep_prob=1e-6, seed=1)
    again = tf.nn.RNNCellDropoutWrapper.from_config(dropping.get_config())
    assert np.all(again(tf.ones([1, 2]), again.zero_state(1, tf.float32))[0] == 0.0)
    with pytest.raises(ValueError, match="LSTM cell does not work"):
        tf.nn.RNNCellDropoutWrapper(tf.keras.layers.LSTMCell(2))
    with pytest.raises(ValueError, match="incompatible"):
        tf.nn.RNNCellResidualWrapper(
            tf.keras.layers.GRUCell(2), lambda i, o: o[:, :1]
        )(tf.ones([1, 2]), tf.zeros([1, 2]))
    with pytest.raises(TypeError, match="call"):
        tf.nn.RNNCellDeviceWrapper(3, "/CPU:0")


def test_a_state_without_rows_runs_on():
    class Counter(tf.compat.v1.nn.rnn_cell.RNNCell):
        output_size = property(lambda self: 1)
        state_size = property(lambda self: tf.TensorShape([]))

        def zero_state(self, batch_size, dtype):
            return tf.zeros([], tf.int32)

        def call(self, inputs, state, scope=None):
            return inputs, state + 1

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        outputs, state = tf.compat.v1.nn.dynamic_rnn(
            Counter(), tf.constant([[[1.0], [2.0], [3.0]]]), dtype=tf.float32, sequence_length=[2]
        )
        found = session.run([outputs, state])
    assert found[0].tolist() == [[[1.0], [2.0], [0.0]]] and found[1] == 3
