"""`reflow/api/random/truncated.py`: bounds, means in the middle and in the tails, gradients."""

import numpy as np
import pytest

import reflow as tf
from reflow.api.random.truncated import parameterized_truncated_normal

draw = tf.random.stateless_parameterized_truncated_normal


@pytest.mark.parametrize(
    ("mean", "deviation", "low", "high", "expected"),
    [
        (0.0, 1.0, -2.0, 2.0, 0.0),
        (0.0, 1.0, 4.0, np.inf, 4.2256),
        (0.0, 1.0, -np.inf, -4.0, -4.2256),
        (0.8, 0.05, -1.0, 1.0, 0.8),
        (6.0, 1.0, -1.0, 1.0, 0.8117),
    ],
)
def test_distribution(mean, deviation, low, high, expected):
    x = draw([20000], [1, 2], mean, deviation, low, high).numpy()
    assert x.min() >= low and x.max() <= high and x.dtype == np.float32
    np.testing.assert_allclose(x.mean(), expected, atol=0.02)


def test_parameters_broadcast_with_the_last_axes():
    x = draw([1000, 1, 2], [3, 4], [0.0, 10.0], [[1.0]], [-1.0, 9.0], [1.0, 11.0]).numpy()
    np.testing.assert_allclose(x.mean((0, 1)), [0.0, 10.0], atol=0.1)
    assert draw([3], [1, 2], tf.constant(0.0, tf.float64)).dtype == tf.float64


def test_gradients():
    parameters = [tf.constant(v) for v in (0.5, 2.0, -1.0, 3.0)]
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        x = draw([1000], [1, 2], *parameters)
        y = tf.reduce_mean(x)
    mean, deviation, low, high = (float(g) for g in tape.gradient(y, parameters))
    # as in TensorFlow the standardised bounds stay when mean and deviation move; other samples there give 0.417 and
    # 0.299
    np.testing.assert_allclose([mean, deviation], [1.0, float(tf.reduce_mean((x - 0.5) / 2.0))], 1e-5)
    np.testing.assert_allclose([low, high], [0.417, 0.299], atol=0.03)


def test_with_a_generator_of_its_own():
    tf.random.set_seed(1)
    x = parameterized_truncated_normal([1000], 0.0, 1.0, 0.0, 0.5)
    assert 0 <= float(tf.reduce_min(x)) <= float(tf.reduce_max(x)) <= 0.5
