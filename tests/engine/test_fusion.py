"""Products that add themselves, convolutions that finish their results:
which steps they take over, and that the numbers stay."""

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
W, B = (RNG.standard_normal(shape).astype(np.float32) for shape in ((4, 4), (4,)))
X = RNG.standard_normal((3, 4)).astype(np.float32)


def loop(x):
    return lax.scan(lambda h, x: (jnp.tanh(x + h @ W + B), h), x, jnp.broadcast_to(x, (5, 3, 4)))


#: a function of X, and its steps by their kinds
CASES = {
    "a bias": (lambda x: x @ W + B, [code.COPY, code.PRODUCT]),
    "an array and a bias": (lambda x: x + x @ W + B, [code.COMBINE, code.PRODUCT]),
    "one row": (lambda x: x[0] @ W + B, [code.COPY, code.PRODUCT]),
    "two products": (lambda x: x @ W + (x * x) @ W, [code.COMBINE, code.PRODUCT, code.COPY, code.PRODUCT]),
    "a view of the other": (lambda x: (x @ W + x[::-1]) + B, [code.COPY, code.PRODUCT, code.COMBINE]),
    "read again": (lambda x: (lambda y: [y + B, jnp.tanh(y)])(x @ W), [code.PRODUCT, code.COMBINE, code.MAP]),
    "read otherwise": (lambda x: (x[:, :3].T @ x).T + 1.0, [code.PRODUCT, code.COMBINE]),
    "spread out": (lambda x: x[:1] @ W + x, [code.PRODUCT, code.COMBINE]),
    "a loop": (loop, [code.COPY, code.COPY, code.LOOP]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.skipif(not native.available(), reason="there are no kernels of ours")
def test_a_product_takes_a_sum_over_where_it_may(monkeypatch, name):
    function, kinds = CASES[name]
    found = []
    monkeypatch.setattr(steps, "encoded", lambda made, *rest: found.extend(made) or code.encoded(made, *rest))
    made = steps.encode(
        lambda _, inputs: jax.tree.leaves(function(*inputs)), [], [jax.ShapeDtypeStruct(X.shape, X.dtype)], 1 << 20
    )
    assert [step[0] for step in found] == kinds
    for ours, expected in zip(small.program_of(made)((), [X]), jax.tree.leaves(function(X)), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)


def test_a_loop_has_one_sum_less(monkeypatch):
    found = []
    monkeypatch.setattr(steps, "encoded", lambda made, *rest: found.extend(made) or code.encoded(made, *rest))
    steps.encode(
        lambda _, inputs: jax.tree.leaves(loop(*inputs)), [], [jax.ShapeDtypeStruct(X.shape, X.dtype)], 1 << 20
    )
    [inner] = [code.of_loop(step)[1] for step in found if step[0] == code.LOOP]
    assert [step[0] for step in inner] == [code.COMBINE, code.PRODUCT, code.MAP]


# --- convolutions

IMAGE, OTHER = (RNG.standard_normal((2, 5, 6, 3)).astype(np.float32) for _ in range(2))
FILTER, BIAS = RNG.standard_normal((3, 3, 3, 3)).astype(np.float32), RNG.standard_normal(3).astype(np.float32)


def conv(x):
    with mock.patch.object(state, "native", True):
        return windows.conv(x, FILTER, (1, 1), ((1, 1), (1, 1)))


#: a function of IMAGE, and its steps by their kinds
CONVOLUTIONS = {
    "a bias and a limit": (lambda x: jnp.maximum(conv(x) + BIAS, 0.0), [code.CONVOLVE]),
    "a bias, an array, limits": (lambda x: jnp.clip(x + (conv(x) + BIAS), 0.0, 1.5), [code.CONVOLVE]),
    "two biases": (lambda x: conv(x) + BIAS + 2 * BIAS, [code.CONVOLVE]),
    "a known array": (lambda x: jnp.minimum(conv(x) + OTHER, 0.5), [code.CONVOLVE]),
    "an array after a limit": (lambda x: jnp.maximum(conv(x), 0.0) + x, [code.CONVOLVE, code.COMBINE]),
    "limits that cross": (lambda x: jnp.maximum(jnp.minimum(conv(x), -1.0), 1.0), [code.CONVOLVE, code.COMBINE]),
    "limits that shrink": (lambda x: jnp.minimum(jnp.clip(conv(x), -1.0, 1.0), 0.5), [code.CONVOLVE]),
    "two convolutions": (lambda x: conv(x) + conv(x * 2.0), [code.COMBINE, code.CONVOLVE, code.CONVOLVE]),
    "read again": (lambda x: (lambda y: [y + BIAS, jnp.tanh(y)])(conv(x)), [code.CONVOLVE, code.COMBINE, code.MAP]),
    "an array turned round": (lambda x: conv(x) + x[::-1], [code.CONVOLVE, code.COMBINE]),
    "not a number": (lambda x: jnp.maximum(conv(x / x * x), 0.0), [code.COMBINE, code.COMBINE, code.CONVOLVE]),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.skipif(not native.available(), reason="there are no kernels of ours")
def test_a_convolution_takes_over_what_is_done_to_its_result_alone(monkeypatch, name):
    function, kinds = CONVOLUTIONS[name]
    x = np.where(np.arange(180).reshape(IMAGE.shape) == 7, 0.0, IMAGE).astype(np.float32)
    found = []
    monkeypatch.setattr(steps, "encoded", lambda made, *rest: found.extend(made) or code.encoded(made, *rest))
    monkeypatch.setattr(steps.parts, "by_image", lambda made, threads: (list(made), []))
    made = steps.encode(
        lambda _, inputs: jax.tree.leaves(function(*inputs)), [], [jax.ShapeDtypeStruct(x.shape, x.dtype)], 1 << 20
    )
    assert [step[0] for step in found] == kinds
    for ours, expected in zip(small.program_of(made)((), [x]), jax.tree.leaves(jax.jit(function)(x)), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-5)
        assert np.isnan(ours).any() == (name == "not a number")
