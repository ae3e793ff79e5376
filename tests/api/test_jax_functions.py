"""JAX functions on tensors, functions of tensors in JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import reflow as tf


def test_a_jax_function_runs_eagerly_traced_and_compiled():
    wave = tf.from_jax(lambda x, y: {"product": jnp.sin(x) * y, "count": jnp.int32(x.shape[0])})
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    expected = np.sin([1.0, 2.0]) * 3.0
    traced = tf.function(lambda x: wave(x, y=y), input_signature=[tf.TensorSpec([None])])
    compiled = tf.function(lambda x: wave(x, y), jit_compile=True)
    for found in (wave(x, 3.0), traced(x), traced(x), traced(x), compiled(x)):
        np.testing.assert_allclose(found["product"], expected, rtol=1e-6)
        assert found["count"].numpy() == 2
    assert traced.get_concrete_function().structured_outputs["product"].shape.as_list() == [None]


def test_gradients_of_every_order_and_of_complex_numbers():
    cube, times = tf.from_jax(lambda x: x**3), tf.from_jax(lambda x, n: x * n.astype(x.dtype))
    x, n = tf.constant(2.0), tf.constant(5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        first = inner.gradient(y, x)
    assert (first.numpy(), outer.gradient(first, x).numpy()) == (12.0, 12.0)
    assert tf.function(lambda x: tf.gradients(times(x, n), [x, tf.identity(n)]))(x)[0].numpy() == 5.0
    z = tf.constant(1.0 + 2.0j)
    with tf.GradientTape() as tape:
        tape.watch(z)
        w = tf.from_jax(lambda z: z * z)(z)
    assert tape.gradient(w, z).numpy() == 2.0 - 4.0j  # as of tf.square


def test_the_rank_must_be_known():
    with pytest.raises(ValueError, match="needs to know the ranks"):
        tf.function(tf.from_jax(jnp.sin)).get_concrete_function(tf.TensorSpec(None))


def test_a_function_of_tensors_in_jax():
    v = tf.Variable(2.0)
    model = tf.to_jax(lambda x: tf.reduce_sum(tf.nn.softmax(x["logits"]) * x["logits"]) * v)
    x = {"logits": jnp.array([1.0, 2.0, 3.0])}
    softmax = jax.nn.softmax(x["logits"])
    np.testing.assert_allclose(model(x), 2.0 * (softmax * x["logits"]).sum(), rtol=1e-6)
    slopes = jax.jit(jax.grad(model))(x)["logits"]
    expected = jax.grad(lambda x: 2.0 * (jax.nn.softmax(x) * x).sum())(x["logits"])
    np.testing.assert_allclose(slopes, expected, rtol=1e-5)
    rows = jax.vmap(model)({"logits": jnp.stack([x["logits"]] * 2)})
    np.testing.assert_allclose(rows, [model(x)] * 2, rtol=1e-6)
    pair = tf.to_jax(tf.function(lambda a, b=1.0: (a + b, a)))(jnp.float32(1.0))
    assert [float(p) for p in pair] == [2.0, 1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not one program"):
        tf.to_jax(lambda x: v.assign(x))(jnp.float32(1.0))
