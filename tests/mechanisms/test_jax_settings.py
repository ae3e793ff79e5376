"""Reflow computes in 64 bits where a program asks for it, and leaves JAX's own settings to the user's JAX code."""

import jax
import numpy as np

import reflow as tf


def test_jax_stays_at_32_bits():
    @tf.function(jit_compile=True)
    def total(x):
        return tf.reduce_sum(x) + tf.cast(tf.range(tf.constant(3, tf.int64))[-1], tf.float64)

    x = tf.constant(np.full(3, 0.1))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x)
    assert y.dtype == tape.gradient(y, x).dtype == tf.float64
    assert y.numpy() == np.full(3, 0.1).sum() + 2
    assert jax.numpy.ones(1).dtype == np.float32
    assert jax.numpy.arange(1).dtype == np.int32
