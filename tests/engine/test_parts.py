"""Loops in parts: which can be cut, and that the parts give what the loop gives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from reflow import native
from reflow.engine import encoding as code
from reflow.engine import small, steps

RNG = np.random.default_rng(0)
W = (RNG.standard_normal((8, 32)) / 4).astype(np.float32)
BATCH, LENGTH = 6, 5


def recurrent(x):
    """A layer with gates: states of [batch, 8], whose rows do not know of each other; the last state, and all of them."""

    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x + h @ W, 4, 1)
        c = c * lax.logistic(f) + lax.logistic(i) * jnp.tanh(g)
        total = (c * c).sum(1, keepdims=True)
        h = jnp.where(c > 0, c, -c) * lax.logistic(o) + 0.1 * total
        return (h, c), jnp.pad(h, ((0, 0), (1, 0)))

    zeros = jnp.zeros((BATCH, 8))
    return lax.scan(step, (zeros, zeros + 0.5), x @ W)


def mixed(x):
    """A loop whose rows need each other: it takes their mean away."""

    def step(h, x):
        h = jnp.tanh(h + x)
        return h - h.mean(0, keepdims=True), h

    return lax.scan(step, jnp.zeros((BATCH, 8)), x)


def turned(x):
    """A loop that swaps the halves of its batch."""

    def step(h, x):
        return jnp.concatenate([h[BATCH // 2 :], h[: BATCH // 2]]) + x, h

    return lax.scan(step, jnp.zeros((BATCH, 8)), x)


def nested(x):
    """A loop in a loop."""
    return lax.scan(lambda h, x: lax.scan(lambda a, b: (a + b, a), h, jnp.concatenate([x[None], x[None]])), jnp.zeros((BATCH, 8)), x)


X = RNG.standard_normal((LENGTH, BATCH, 8)).astype(np.float32)


def made_of(monkeypatch, function, threads, least=0):
    monkeypatch.setattr(steps, "SHARED", least)
    monkeypatch.setattr(steps, "THREADS", threads)
    found = []
    whole = steps.parts.in_parts
    monkeypatch.setattr(steps.parts, "in_parts", lambda loop, n: found.append(whole(loop, n)) or found[-1])
    made = steps.encode(lambda _, inputs: jax.tree.leaves(function(*inputs)), [], [jax.ShapeDtypeStruct(X.shape, X.dtype)], 1 << 20)
    return made, [loop[:2] for loop in found]


@pytest.mark.parametrize(
    ("function", "threads", "parts"),
    [
        *((recurrent, threads, parts) for threads, parts in ((2, 2), (3, 3), (6, 6), (5, 3), (1, 0))),
        *((whole, 2, 0) for whole in (mixed, turned, nested)),
    ],
)
@pytest.mark.skipif(not native.available(), reason="there are no kernels of ours")
def test_parts_give_what_the_loop_gives(monkeypatch, function, threads, parts):
    made, found = made_of(monkeypatch, function, threads)
    assert found == [[code.TOGETHER, parts] if parts else [code.LOOP, LENGTH]]
    results = small.program_of(made)((), [X])
    for ours, expected in zip(results, jax.tree.leaves(function(X)), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)


def test_a_loop_with_little_work_stays_whole(monkeypatch):
    assert made_of(monkeypatch, recurrent, 2, least=1 << 23)[1] == []
