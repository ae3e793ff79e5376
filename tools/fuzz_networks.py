"""Networks of steps (`reflow/native/steps.h`, `network.h`, `crew.h`) for `tools/fuzz_kernels.py`: random ones against
JAX, and hostile lists.

A *random* network has layers of random kinds and sizes; now and then it is a recurrent layer, or one for images, that
several threads run side by side. A *hostile* one is the list of a random one with some numbers changed behind its head,
which says how much memory the caller brings. It must be refused, or do no harm. One with a huge number is only read and
not run: a loop of 2^40 iterations is allowed, and takes its time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from reflow.core.context import state
from reflow.engine import small, steps
from reflow.engine.encoding import CannotEncode
from reflow.native.network import BadSteps, Network, address_of
from reflow.ops.xp.xla import windows

HUGE = (-1, 2**20, 2**31, 2**40, 2**58, 2**62, -(2**62), 2**63 - 1, -(2**63))
Draw = np.random.Generator
Layers = Callable[[Any], Any]


def numbers(draw: Draw, *shape: int) -> np.ndarray:
    return (draw.standard_normal(shape) / 2).astype(np.float32)


def dense(draw: Draw, width: int) -> Layers:
    weights = [numbers(draw, width, width) for _ in range(2)]
    bias = numbers(draw, width)

    def layers(x: Any) -> Any:
        y = jnp.maximum(x @ weights[0] + bias, 0.0)
        y = jnp.tanh(x + y @ weights[1] + bias[::-1])
        return [jax.nn.softmax(y, -1), (y * y).sum(0), y.max(-1), jnp.where(y > 0, y, jnp.exp(y) - 1.0).T]

    return layers


def views(draw: Draw, width: int) -> Layers:
    step = int(draw.integers(1, 4))

    def layers(x: Any) -> Any:
        both = jnp.concatenate([x[::-1], -x], 1)
        padded = lax.pad(both, 0.5, ((1, 0, 1), (0, 2, step)))
        wide = jnp.broadcast_to(x[:, None], (len(x), 2, width)) + x.sum(-1)[:, None, None]
        return [padded[:, ::step], lax.dynamic_update_slice(both, x[:1] * 2, (0, 1)), wide]

    return layers


def image(draw: Draw, width: int) -> Layers:
    filters = numbers(draw, *draw.integers(1, 4, 2).tolist(), 1, int(draw.integers(1, 40)))
    strides = draw.integers(1, 3, 2).tolist()

    def layers(x: Any) -> Any:
        y = lax.conv_general_dilated(
            x[None, ..., None], filters, strides, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        return [y, lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 2, 1), "SAME")]

    return layers


def convolutions(draw: Draw, width: int) -> Layers:
    """Two layers by kernels of ours, one of them by channels, with what they take over: biases, a sum, limits."""
    channels = int(draw.choice([1, 3, 16, 19, 32, 64]))
    filters = channels if draw.integers(2) else int(draw.choice([1, 16, 32, 33, 70]))
    window, strides = draw.integers(1, 4, 2).tolist(), draw.integers(1, 3, 2).tolist()
    if draw.integers(2):
        window, strides = [3, 3], [1, 1]  # for Winograd's algorithm, if there are channels enough
    lift, weights, bias = numbers(draw, channels), numbers(draw, *window, channels, filters), numbers(draw, filters)
    by_channel, dilations = numbers(draw, 3, int(draw.integers(1, 4)), 1, filters), draw.integers(1, 3, 2).tolist()
    # images that need each other
    padding, mixed = [(int(k) - 1, int(draw.integers(0, 3))) for k in window], draw.random() < 0.2

    def layers(x: Any) -> Any:
        images = jnp.broadcast_to(x[:, :, None, None] * lift, (*x.shape, 7, channels))
        images = images + x.sum(0)[None, :, None, None] if mixed else images
        y = jnp.clip(windows.conv(images, weights, strides, padding) + bias, -0.5, 2.0)
        z = windows.conv(
            y, by_channel, (1, 1), [((k - 1) * d, 0) for k, d in zip(by_channel.shape, dilations)], dilations, None,
            filters,
        )
        return [z + y, jnp.maximum(z * 0.5 + bias, 0.0)]

    return layers


def recurrent(draw: Draw, width: int) -> Layers:
    w, length, backwards = numbers(draw, width, 2 * width), int(draw.integers(1, 6)), bool(draw.integers(2))

    def layers(x: Any) -> Any:
        def step(state: Any, x: Any) -> Any:
            h, c = state
            gate, new = jnp.split(x + h @ w, 2, -1)
            c = c * lax.logistic(gate) + jnp.tanh(new)
            return (jnp.tanh(c), c), h

        inputs = jnp.stack([x * float(i + 1) for i in range(length)])
        return jax.tree.leaves(lax.scan(step, (jnp.zeros_like(x), x), inputs @ w, reverse=backwards))

    return layers


def random_network(draw: Draw) -> tuple[str, Layers, np.ndarray, steps.Encoded]:
    """What it is, the function, an input, and the steps."""
    kind = (dense, views, image, recurrent, recurrent, convolutions, convolutions)[draw.integers(7)]
    batch, width = (int(draw.choice([1, 2, 4, 6, 12, 13, 30])) for _ in range(2))
    function, x = kind(draw, width), numbers(draw, batch, width)
    threads = int(draw.integers(1, 5))
    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype)]
    with (
        mock.patch.object(steps, "SHARED", 0), mock.patch.object(steps, "THREADS", threads),
        mock.patch.object(state, "native", True),
    ):
        made = steps.encode(lambda _, inputs: jax.tree.leaves(function(*inputs)), [], shapes, 1 << 30)
    return f"{kind.__name__} network {x.shape} in {threads} threads", function, x, made


def network_case(draw: Draw) -> tuple[str, str | None]:
    """A network: what it is, and what is wrong with its answer, or with that of a changed one."""
    try:
        name, function, x, made = random_network(draw)
    except CannotEncode as error:
        return "network", f"not encoded: {error}"
    results = small.program_of(made)((), [x])
    expected = [np.asarray(y) for y in jax.tree.leaves(function(x))]
    wrong = [
        float(np.abs(a - b).max()) for a, b in zip(results, expected, strict=True) if not np.allclose(a, b, 1e-3, 1e-4)
    ]
    if wrong:
        return name, f"off by {wrong}"
    for _ in range(5):
        hostile(draw, made)
    return name, None


def hostile(draw: Draw, made: steps.Encoded) -> None:
    """Change some numbers of the list, and run it if it is accepted."""
    changed, head = list(made.steps), 2 + made.steps[0]
    huge = bool(draw.integers(2))
    for _ in range(draw.integers(1, 4)):
        changed[int(draw.integers(head, len(changed)))] = int(draw.choice(HUGE)) if huge else int(draw.integers(-2, 40))
    if draw.random() < 0.1:
        changed = changed[: int(draw.integers(head, len(changed)))]
    try:
        network = Network(changed, made.constants)
    except BadSteps:
        return
    if not huge:
        arrays = [np.zeros(shape, np.float32) for shape in (*made.inputs, *made.outputs)]
        network.run(address_of(scratch := network.scratch()), network.pointers([address_of(a) for a in arrays]))
        del scratch
