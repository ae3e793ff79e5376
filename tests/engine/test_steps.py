"""JAX programs as steps in C++: each primitive gives what JAX gives."""

import threading
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from reflow import native
from reflow.core.context import state
from reflow.engine import small
from reflow.engine.encoding import CannotEncode
from reflow.engine.steps import encode
from reflow.ops.xp.xla import native as xla_native
from reflow.ops.xp.xla import windows

pytestmark = pytest.mark.skipif(not native.available(), reason="there are no kernels of ours")

RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


IMAGE, MATRIX, CUBE = numbers(2, 9, 8, 3), numbers(5, 7), numbers(2, 3, 4)
W, FILTER, TWELVE = numbers(7, 33), numbers(3, 2, 3, 5), numbers(3, 4, 6)


def numbers_of(*shape):
    """The same numbers at each call."""
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32) / 4


def ours(x, y, flip_x, flip_y):
    with mock.patch.object(state, "native", True):
        made = xla_native.product(x, y, flip_x, flip_y)
    assert made is not None
    return made


def cell(carry, x):
    """A recurrent layer that swaps its states, hands one on as it is, and stacks an old one."""
    a, b, same = carry
    new = jnp.tanh(x @ W[:, :7] + a * b)
    return (b, new, same), (a, new + same)


def convolved(x):
    return lax.conv_general_dilated(
        x, FILTER, (2, 1), "SAME", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def pooled(x):
    largest = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2, 1), (1, 2, 2, 1), "SAME")
    return [largest, lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 1, 1), "VALID")]


def put_together(x):
    whole = [jnp.stack([x, -x], 1), jnp.concatenate([x, -x, x[:, :0]], 1)]
    return [*whole, jnp.pad(x, ((0, 0), (1, 2), (0, 0))), lax.pad(x, 7.0, ((0, 0, 1), (1, 0, 2), (0, 0, 0)))]


def seen_otherwise(x):
    return [
        x[1:, ::2, ::-1].transpose(2, 0, 1) + 1.0, x.reshape(6, 4).T.reshape(4, 2, 3),
        jnp.broadcast_to(x[:, :, None], (2, 3, 5, 4)),
    ]


def kernels(x, w, strides=(1, 1), padding=((1, 1), (1, 1)), dilations=(1, 1), groups=1):
    """A convolution by a kernel of ours, as programs for the CPU have it."""
    with mock.patch.object(state, "native", True):
        return windows.conv(x, w, strides, padding, dilations, None, groups)


LARGE, NONE = numbers(2, 12, 11, 64), ((0, 0), (0, 0))
PROGRAMS = {
    "a convolution of ours": (
        lambda x: [kernels(x, FILTER, (2, 1)), kernels(x, FILTER, padding=((2, 0), (0, 1)))], IMAGE
    ),
    "few taps": (
        lambda x: [kernels(x, numbers_of(3, 3, 3, 32), (2, 1)), kernels(x[..., :1], numbers_of(3, 3, 1, 16))], IMAGE
    ),
    "squares": (lambda x: [kernels(x, numbers_of(3, 3, 64, 64))], LARGE),
    "pixels": (lambda x: [
        kernels(x, numbers_of(1, 1, 64, 40), (1, 1), NONE), kernels(x, numbers_of(1, 1, 64, 7), (2, 2), NONE)
    ], LARGE),
    "channels by themselves": (lambda x: [kernels(x, numbers_of(3, 3, 1, 64), groups=64)], LARGE),
    "some channels": (
        lambda x: [kernels(x[..., :19], numbers_of(3, 2, 1, 19), (2, 1), dilations=(2, 1), groups=19)], LARGE
    ),
    "a product of ours": (lambda x: [ours(x, x, True, False), ours(x, x, False, True)], numbers(90, 70)),
    "unary": (
        lambda x: [jnp.exp(-x), lax.logistic(x) * jnp.tanh(x), lax.erf(x), jnp.sign(x), jnp.floor(x), jnp.expm1(x)],
        MATRIX,
    ),
    "logarithms": (
        lambda x: [jnp.log(x * x), jnp.log1p(jnp.abs(x)), lax.rsqrt(x * x), x**3, jnp.round(x), jnp.sqrt(x * x)], MATRIX
    ),
    "binary": (
        lambda x: [x[:, :1] - x, x / x[0], jnp.maximum(x, 0.0), jnp.minimum(x, x.mean()), jnp.abs(x) ** 1.5], MATRIX
    ),
    "choices": (
        lambda x: [jnp.where(x > 0, x, 0.1 * x), jnp.where((x >= 1) | (x != x), 1.0, -x), jnp.clip(x, -0.5, 0.5)],
        MATRIX,
    ),
    "truth": (lambda x: [(x < 0).astype(x.dtype), jnp.where(x.astype(bool), 1.0, x)], MATRIX),
    "views": (seen_otherwise, CUBE),
    "parts": (put_together, CUBE),
    "slices": (lambda x: [lax.dynamic_slice(x, (5, 0, 1), (1, 3, 2)), *jnp.split(x, 2, 2)], CUBE),
    "updates": (lambda x: [
        lax.dynamic_update_slice(x, x[:1, :2] * 2, (0, 9, 0)), lax.dynamic_update_slice(x, x + 1, (0, 1, 0))
    ], CUBE),
    "reductions": (
        lambda x: [x.sum(), x.max(1), x.min((0, 2)), x.prod(2), x.mean(0, keepdims=True), jax.nn.softmax(x, 1)], CUBE
    ),
    "long reductions": (lambda x: [x.sum(1), x.max(1), x.T.sum(0)], numbers(3, 100)),
    "products": (lambda x: [x @ W, x[:1] @ W, x.T @ x, jnp.einsum("ab,cb->ac", x, x), x @ W[:, 0], W.T @ x[0]], MATRIX),
    "batches": (
        lambda x: [jnp.einsum("bij,bkj->bik", x, x), jnp.einsum("bij,cj->cbi", x, x[0]), jnp.tensordot(x, TWELVE)], CUBE
    ),
    "convolution": (lambda x: [convolved(x)], IMAGE),
    "channels first": (
        lambda x: [lax.conv(x.transpose(0, 3, 1, 2), FILTER.transpose(3, 2, 0, 1), (1, 1), "VALID")], IMAGE
    ),
    "pools": (pooled, IMAGE),
    "loop": (lambda x: jax.tree.leaves(lax.scan(cell, (x[0], x[1], x[2]), x)), MATRIX),
    "loop backwards": (
        lambda x: jax.tree.leaves(lax.scan(cell, (x[0], x[1] + 1.0, x[2]), x * 2.0, reverse=True)), MATRIX
    ),
    "outputs that are inputs or known": (lambda x: [x, x.T, jnp.ones((2, 2)), x + x, x], MATRIX),
}


def made_of(function, x):
    return encode(lambda _, inputs: function(*inputs), [], [jax.ShapeDtypeStruct(x.shape, x.dtype)], 1 << 24)


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_give_what_jax_gives(name):
    function, x = PROGRAMS[name]
    made = made_of(function, x)
    run = small.program_of(made)
    expected = [np.asarray(y) for y in jax.jit(function)(x)]
    for _ in range(2):  # in the scratch memory of the first run
        for got, wanted in zip(run((), [x]), expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5 if x is LARGE else 2e-6)  # of Winograd's sums


def test_threads_share_large_products():
    """A product by rows, one by columns, functions of the results;
    from several threads, of which one has the helpers."""
    many, x = numbers(64, 1024), numbers(300, 64)
    function = lambda x: [jnp.tanh(x @ many), x[:7] @ many + jnp.exp(x[0] @ many)]
    made = encode(lambda _, inputs: function(*inputs), [], [jax.ShapeDtypeStruct(x.shape, x.dtype)], 1 << 28)
    run, expected, wrong = small.program_of(made), jax.jit(function)(x), []

    def work():
        for _ in range(5):
            wrong.extend(1 for got, y in zip(run((), [x]), expected) if not np.allclose(got, y, rtol=1e-4, atol=1e-5))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.steps[7] == 1 and not wrong  # the list says that threads are worth while


def test_not_a_number_stays_so():
    x = np.array([np.nan, 1.0, -np.inf, np.inf], np.float32)
    run = small.program_of(
        made_of(lambda x: [jnp.maximum(x, 0.0), jnp.minimum(0.0, x), x.max(), jnp.where(x > 0, 1.0, 0.0)], x)
    )
    got = [y.tolist() for y in run((), [x])]
    assert (
        np.isnan([got[0][0], got[1][0], got[2]]).all() and got[0][1:] == [1.0, 0.0, np.inf] and got[3] == [0, 1, 0, 1]
    )


@pytest.mark.parametrize(
    ("function", "x", "text"),
    [
        (lambda x: [jnp.sort(x)], MATRIX, "sort"),
        (lambda x: [x.argmax()], MATRIX, "not float32"),
        (lambda x: [x.astype(jnp.float16).astype(jnp.float32)], MATRIX, "conversion"),
        (lambda x: [lax.while_loop(lambda y: y[0, 0] < 9, lambda y: y + 1, x)], MATRIX, "primitive while"),
        (lambda x: [x @ x], numbers(300, 300), "multiply-adds"),
    ],
)
def test_what_has_no_steps_says_so(function, x, text):
    with pytest.raises(CannotEncode, match=text):
        made_of(lambda x: [y * 1 for y in function(x)], x)
