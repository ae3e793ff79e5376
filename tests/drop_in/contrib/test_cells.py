"""Cells of `tf.contrib.rnn`, against their formulas."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


rnn = contrib.rnn


def outputs(cell, inputs, state=None):
    """One step of a cell: its output, its state, and the values of its variables by name."""
    with v1.Session() as session:
        made = cell(tf.constant(inputs), cell.zero_state(len(inputs), tf.float32) if state is None else state)
        session.run(v1.global_variables_initializer())
        return *session.run(made), {v.op.name.rpartition("/")[2]: session.run(v) for v in v1.global_variables()}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


X = np.array([[1.0, -2.0]], np.float32)


def test_block_cells_are_the_plain_ones():
    with tf.Graph().as_default():
        h, state, variables = outputs(rnn.LSTMBlockCell(3, forget_bias=0.0), X)
        assert [v.op.name for v in v1.global_variables()] == ["lstm_cell/kernel", "lstm_cell/bias"]
        i, j, _, o = np.split(X @ variables["kernel"][:2], 4, 1)
        c = sigmoid(i) * np.tanh(j)
        np.testing.assert_allclose(h, sigmoid(o) * np.tanh(c), rtol=1e-5)
        np.testing.assert_allclose(state.c, c, rtol=1e-5)
    with tf.Graph().as_default():
        assert outputs(rnn.GRUBlockCellV2(num_units=2), X)[0].shape == (1, 2)
    with pytest.raises(ValueError, match="exactly one of cell_size and num_units"):
        rnn.GRUBlockCellV2()


def test_a_normalized_cell():
    with tf.Graph().as_default():
        h, state, variables = outputs(rnn.LayerNormBasicLSTMCell(4, dropout_keep_prob=1.0), X)
        norm = lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12)  # noqa: E731
        i, j, _, o = map(norm, np.split(X @ variables["kernel"][:2], 4, 1))
        c = norm(sigmoid(i) * np.tanh(j))
        np.testing.assert_allclose(state.c, c, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(h, np.tanh(c) * sigmoid(o), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("make, size", [
    (lambda: rnn.NASCell(3), 3), (lambda: rnn.NASCell(3, num_proj=2, use_bias=True), 2), (lambda: rnn.UGRNNCell(3), 3),
    (lambda: rnn.CoupledInputForgetGateLSTMCell(3), 3), (lambda: rnn.OutputProjectionWrapper(rnn.GRUCell(3), 5), 5),
    (lambda: rnn.InputProjectionWrapper(rnn.GRUCell(3), 4), 3), (lambda: rnn.HighwayWrapper(rnn.GRUCell(2)), 2),
    (lambda: rnn.AttentionCellWrapper(rnn.BasicLSTMCell(3), 4), 3),
])  # fmt: skip
def test_cells_run_in_loops_and_train(make, size):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(3)
        inputs = np.random.RandomState(0).randn(2, 5, 2).astype("f")
        outs, _ = v1.nn.dynamic_rnn(make(), tf.constant(inputs), dtype=tf.float32)
        train = v1.train.GradientDescentOptimizer(0.001).minimize(tf.reduce_sum(outs**2))
        session.run(v1.global_variables_initializer())
        before = session.run(tf.reduce_sum(outs**2))
        session.run(train)
        assert session.run(outs).shape == (2, 5, size) and session.run(tf.reduce_sum(outs**2)) < before


def test_cells_on_grids_and_words():
    with tf.Graph().as_default(), v1.Session() as session:
        grid, _ = v1.nn.dynamic_rnn(
            rnn.Conv2DLSTMCell([4, 4, 1], 2, [3, 3], skip_connection=True), tf.ones([1, 3, 4, 4, 1]), dtype=tf.float32
        )
        words, _ = v1.nn.dynamic_rnn(
            rnn.EmbeddingWrapper(rnn.GRUCell(3), 5, 4), tf.ones([2, 3, 1], tf.int32), dtype=tf.float32
        )
        session.run(v1.global_variables_initializer())
        assert session.run(grid).shape == (1, 3, 4, 4, 3) and session.run(words).shape == (2, 3, 3)
    with pytest.raises(ValueError, match="Invalid input_shape"):
        rnn.ConvLSTMCell(1, [4, 4, 1], 2, [3])


def test_layers_of_both_directions():
    with tf.Graph().as_default(), v1.Session() as session:
        cells = lambda: [rnn.GRUCell(3), rnn.GRUCell(2)]  # noqa: E731
        outs, forward, backward = rnn.stack_bidirectional_dynamic_rnn(
            cells(), cells(), tf.ones([2, 4, 1]), dtype=tf.float32
        )
        listed, *_ = rnn.stack_bidirectional_rnn(
            cells(), cells(), [tf.ones([2, 1])] * 4, dtype=tf.float32, scope="listed"
        )
        session.run(v1.global_variables_initializer())
        assert session.run(outs).shape == (2, 4, 4) and [s.shape[1] for s in (*forward, *backward)] == [3, 2, 3, 2]
        assert session.run(listed[-1]).shape == (2, 4)
    with pytest.raises(ValueError, match="same depth"):
        rnn.stack_bidirectional_dynamic_rnn([rnn.GRUCell(3)], cells(), tf.ones([2, 4, 1]), dtype=tf.float32)
