"""Loops in parts, and networks one image after the other:
which can be cut, and that the parts give what the whole gives."""

from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from reflow import native
from reflow.core.context import state
from reflow.engine import encoding as code
from reflow.engine import small, steps
from reflow.ops.xp.xla import windows

RNG = np.random.default_rng(0)
W = (RNG.standard_normal((8, 32)) / 4).astype(np.float32)
BATCH, LENGTH = 6, 5


def recurrent(x):
    """A layer with gates: states of [batch, 8], whose rows do not know of each other.

    The last state, and all of them.
    """

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
    return lax.scan(
        lambda h, x: lax.scan(lambda a, b: (a + b, a), h, jnp.concatenate([x[None], x[None]])), jnp.zeros((BATCH, 8)), x
    )


X = RNG.standard_normal((LENGTH, BATCH, 8)).astype(np.float32)


def made_of(monkeypatch, function, threads, least=0):
    monkeypatch.setattr(steps, "SHARED", least)
    monkeypatch.setattr(steps, "THREADS", threads)
    found = []
    whole = steps.parts.in_parts
    monkeypatch.setattr(steps.parts, "in_parts", lambda loop, n: found.append(whole(loop, n)) or found[-1])
    made = steps.encode(
        lambda _, inputs: jax.tree.leaves(function(*inputs)), [], [jax.ShapeDtypeStruct(X.shape, X.dtype)], 1 << 20
    )
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


# --- one image after the other

IMAGES = RNG.standard_normal((6, 8, 8, 4)).astype(np.float32)
FILTERS, DEPTHWISE, LARGE_FILTERS = (
    RNG.standard_normal(shape).astype(np.float32) / 4 for shape in ((3, 3, 4, 4), (3, 3, 1, 4), (5, 5, 4, 64))
)


def conv(x, w, groups=1):
    with mock.patch.object(state, "native", True):
        return windows.conv(x, w, (1, 1), ((1, 1), (1, 1)), None, None, groups)


def network(x):
    """Layers whose pixels are more than their weights, one of which the rest reads again; a pool.

    A layer with many weights.
    """
    y = jnp.maximum(conv(x, FILTERS) + 0.5, 0.0)
    y = jnp.pad(y + jnp.tanh(conv(y, DEPTHWISE, 4)), ((0, 0), (0, 1), (0, 0), (0, 0)))
    z = conv(lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), LARGE_FILTERS)
    return [z.mean((1, 2)), y.sum((1, 2, 3))]


def of_all(x):
    """Images that need each other."""
    return [conv(conv(x, FILTERS) - x.mean(0), FILTERS)]


def with_own(x):
    """Images of which each has numbers of its own."""
    return [conv(jnp.tanh(x) * np.arange(6, dtype=np.float32).reshape(6, 1, 1, 1), FILTERS)]


def turned_images(x):
    return [conv(conv(x, FILTERS)[::-1], FILTERS)]


@pytest.mark.parametrize(
    ("function", "threads", "kind"),
    [
        (network, 1, code.LOOP),
        (network, 2, code.TOGETHER),
        (network, 4, code.LOOP),  # six images for four threads
        (of_all, 2, None),
        (with_own, 2, None),
        (turned_images, 2, None),
    ],
)
@pytest.mark.skipif(not native.available(), reason="there are no kernels of ours")
def test_images_by_themselves_give_what_all_give(monkeypatch, function, threads, kind):
    monkeypatch.setattr(steps, "SHARED", 0)
    monkeypatch.setattr(steps, "THREADS", threads)
    found = []
    monkeypatch.setattr(steps, "encoded", lambda made, *rest: found.extend(made) or code.encoded(made, *rest))
    shapes = [jax.ShapeDtypeStruct(IMAGES.shape, IMAGES.dtype)]
    made = steps.encode(lambda _, inputs: jax.tree.leaves(function(*inputs)), [], shapes, 1 << 24)
    kinds = [step[0] for step in found]
    if kind is None:
        assert not {code.LOOP, code.TOGETHER} & set(kinds)
    else:
        assert kinds[:2] == [kind, code.CONVOLVE]  # which has many weights
    for _ in range(2):
        for ours, expected in zip(
            small.program_of(made)((), [IMAGES]), jax.tree.leaves(jax.jit(function)(IMAGES)), strict=True
        ):
            np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-4)
