"""cuDNN's networks: dropout between layers, and what their gradient needs. Their values are in `table_cudnn.py`."""

import numpy as np
import pytest

import reflow as tf

PARAMETERS = 2 * 4 * 3 * (3 + 3 + 2)  # two layers of three units on three columns


@pytest.fixture
def operands():
    random = np.random.RandomState(0)
    return tf.constant(random.randn(5, 2, 3)), tf.constant(random.randn(PARAMETERS))


def network(x, params, **attrs):
    state = tf.zeros([2, 2, 3], tf.float64)
    return tf.raw_ops.CudnnRNN(input=x, input_h=state, input_c=state, params=params, **attrs)


def test_dropout_draws_anew_at_every_call(operands):
    x, params = operands
    function = tf.function(lambda: network(x, params, dropout=0.5, seed=3, seed2=4)[3])
    masks = [function().numpy() for _ in range(3)]
    assert all(set(np.unique(mask)) == {0.0, 2.0} and mask.shape == (5 * 2 * 3,) for mask in masks)
    assert not np.array_equal(masks[0], masks[1]) and not np.array_equal(masks[1], masks[2])
    assert network(x, params, dropout=0.5, is_training=False)[3].shape == (0,)


def test_gradient_uses_the_masks_of_the_call(operands):
    x, params = operands
    with tf.GradientTape() as tape:
        tape.watch(params)
        output, h, c, mask = network(x, params, dropout=0.4, seed=1, seed2=2)
        loss = tf.reduce_sum(output)
    gradient = tape.gradient(loss, params).numpy()
    kept = dict(output=output, output_h=h, output_c=c, reserve_space=mask, output_h_backprop=tf.zeros_like(h))
    state = tf.zeros([2, 2, 3], tf.float64)
    again = tf.raw_ops.CudnnRNNBackprop(
        input=x, input_h=state, input_c=state, params=params, output_backprop=tf.ones_like(output),
        output_c_backprop=tf.zeros_like(c), dropout=0.4, **kept)
    np.testing.assert_allclose(gradient, again.params_backprop.numpy())
    without = tf.raw_ops.CudnnRNNBackprop(
        input=x, input_h=state, input_c=state, params=params, output_backprop=tf.ones_like(output),
        output_c_backprop=tf.zeros_like(c), **{**kept, "reserve_space": mask[:0]})
    assert not np.allclose(gradient, without.params_backprop.numpy())


def test_refusals(operands):
    x, params = operands
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"params must have shape \[192\]"):
        network(x, params[:-1])
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="is_training=True"):
        tape.watch(x)
        tape.gradient(network(x, params, is_training=False)[0], x)


def test_second_derivatives(operands):
    x, params = operands[0][:2, :1], operands[1][:24]  # one layer of three units
    state = tf.zeros([1, 1, 3], tf.float64)

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            run = tf.raw_ops.CudnnRNN(input=x, input_h=state, input_c=state, params=params, rnn_mode="rnn_tanh")
            loss = tf.reduce_sum(run.output**2)
        return tf.reduce_sum(tape.gradient(loss, x) ** 2)

    with tf.GradientTape() as tape:
        tape.watch(x)
        total = slope(x)
    change = (slope(x + 1e-6) - slope(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(tf.reduce_sum(tape.gradient(total, x)).numpy(), change.numpy(), rtol=1e-5)
