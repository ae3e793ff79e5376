"""`Reflow>Attention`: the same numbers as the steps of Keras' TensorFlow backend, forward, backward,
compiled and exported."""

import numpy as np
import pytest

import reflow as tf
from reflow.graph.expand import expand
from reflow.ops.dispatch import run

rng = np.random.default_rng(0)
Q, K, V = (tf.constant(rng.normal(size=(2, 5, 3, 8)).astype("float32")) for _ in range(3))
MASK = tf.constant(rng.integers(0, 2, (2, 1, 5, 5)).astype(bool) | np.eye(5, dtype=bool))


def one_op(q, k, v, mask, causal):
    return run("Reflow>Attention", q, k, v, *mask, scale=0.3, causal=causal, T_output=q.dtype)


def steps(q, k, v, mask, causal):
    scores = tf.cast(tf.einsum("btnh,bsnh->bnts", q, k), tf.float32) * 0.3
    seen = tf.ones_like(scores, tf.bool)
    for m in mask:
        seen &= m
    if causal:
        seen &= tf.linalg.band_part(tf.ones((q.shape[1], k.shape[1]), tf.bool), -1, 0)
    scores = tf.where(seen, scores, -3.38953e38 * 0.7)
    return tf.einsum("bnts,bsnh->btnh", tf.cast(tf.nn.softmax(scores), v.dtype), v)


def with_gradients(attention, mask, causal):
    def function(q, k, v):
        with tf.GradientTape() as tape:
            tape.watch([q, k, v])
            out = attention(q, k, v, mask, causal)
            loss = tf.reduce_sum(out * tf.cos(out))
        return [out, *tape.gradient(loss, [q, k, v])]

    return function


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [(), (MASK,)], ids=["all", "masked"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_it_is_the_steps(dtype, mask, causal):
    arguments = [tf.cast(x, dtype) for x in (Q, K, V)]
    expected = with_gradients(steps, mask, causal)(*arguments)
    function = tf.function(with_gradients(one_op, mask, causal))
    tolerance = 1e-5 if dtype == "float32" else 0.05
    for got in (with_gradients(one_op, mask, causal)(*arguments), function(*arguments), function(*arguments)):
        for a, b in zip(got, expected, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(tf.cast(a, "float32"), tf.cast(b, "float32"), rtol=tolerance, atol=tolerance)


def test_it_is_exported_as_ordinary_ops():
    graph = tf.function(with_gradients(one_op, (MASK,), True)).get_concrete_function(Q, K, V).graph
    assert any(n.type == "Reflow>Attention" for n in graph.nodes)
    copy = expand(graph)
    assert not any(n.type.startswith("Reflow>") for n in copy.nodes)
    captured = [t._value for t in graph.external_captures]
    for a, b in zip(copy.run([Q._value, K._value, V._value, *captured]), with_gradients(steps, (MASK,), True)(Q, K, V)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
