"""Recurrent layers: RNN, GRU and LSTM, forward, reverse and both.

The compiler moves products with the inputs out of the loop. Rows shorter than the longest (`sequence_lens`) keep their
state after their end and return zeros there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import reflow as tf
from reflow.onnx.node import Node, OnnxError, scalar
from reflow.onnx.table import operator

Activation = Callable[[Any], Any]


def _activation(name: str, alpha: float | None, beta: float | None) -> Activation:
    def with_defaults(a: float, b: float) -> tuple[float, float]:
        return (a if alpha is None else alpha), (b if beta is None else beta)

    if name in _SIMPLE:
        return _SIMPLE[name]
    if name == "affine":
        a, b = with_defaults(1.0, 0.0)
        return lambda x: scalar(a, x) * x + scalar(b, x)
    if name == "leakyrelu":
        return lambda x: tf.nn.leaky_relu(x, with_defaults(0.01, 0.0)[0])
    if name == "thresholdedrelu":
        return lambda x: tf.where(x > scalar(with_defaults(1.0, 0.0)[0], x), x, tf.zeros_like(x))
    if name == "scaledtanh":
        a, b = with_defaults(1.0, 1.0)
        return lambda x: scalar(a, x) * tf.tanh(scalar(b, x) * x)
    if name == "hardsigmoid":
        a, b = with_defaults(0.2, 0.5)
        return lambda x: tf.clip_by_value(scalar(a, x) * x + scalar(b, x), scalar(0, x), scalar(1, x))
    if name == "elu":
        return lambda x: tf.where(x < scalar(0, x), scalar(with_defaults(1.0, 0.0)[0], x) * tf.math.expm1(x), x)
    raise OnnxError(f"unknown activation {name!r}")


_SIMPLE: dict[str, Activation] = {
    "relu": tf.nn.relu, "tanh": tf.tanh, "sigmoid": tf.sigmoid, "softsign": tf.nn.softsign, "softplus": tf.nn.softplus,
}  # fmt: skip


class Layer:
    """What the three operators have in common: directions, activations, lengths, layout."""

    def __init__(self, node: Node, defaults: list[str], gates: int) -> None:
        self.node, self.gates = node, gates
        self.hidden = node.get("hidden_size")
        self.direction = node.get("direction", "forward")
        self.directions = 2 if self.direction == "bidirectional" else 1
        names = [n.lower() for n in node.get("activations", defaults * self.directions)]
        alphas, betas = list(node.get("activation_alpha", [])), list(node.get("activation_beta", []))
        self.activations = [
            _activation(n, alphas[i] if i < len(alphas) else None, betas[i] if i < len(betas) else None)
            for i, n in enumerate(names)
        ]
        self.per_direction = len(defaults)
        self.clip = node.get("clip")
        self.batch_first = bool(node.get("layout", 0))

    def clipped(self, x: Any) -> Any:
        if self.clip is None:
            return x
        return tf.clip_by_value(x, scalar(-self.clip, x), scalar(self.clip, x))

    def activation(self, direction: int, number: int) -> Activation:
        return self.activations[direction * self.per_direction + number]

    def run(self, x: Any, lengths: Any, states: list[Any], step: Callable[[int], Callable[..., tuple]]) -> tuple:
        """All directions: `step(direction)` gives a function (inputs of a time, *states) -> (output, *new states)."""
        x = tf.transpose(x, [1, 0, 2]) if self.batch_first else x
        outputs, finals = [], []
        for number in range(self.directions):
            backwards = self.direction == "reverse" or number == 1
            first = [self._first(s, x, number) for s in states]
            y, last = self._loop(x, lengths, first, step(number), backwards)
            outputs.append(y)
            finals.append(last)
        y = tf.stack(outputs, 1)  # [time, directions, batch, hidden]
        ends = [tf.stack([last[i] for last in finals], 0) for i in range(len(states))]
        if self.batch_first:
            return (tf.transpose(y, [2, 0, 1, 3]), *[tf.transpose(e, [1, 0, 2]) for e in ends])
        return (y, *ends)

    def _first(self, given: Any, x: Any, number: int) -> Any:
        if given is None:
            return tf.zeros(tf.stack([tf.shape(x)[1], self.hidden]), x.dtype)
        return given[:, number] if self.batch_first else given[number]

    def _loop(
        self, x: Any, lengths: Any, first: list[Any], step: Callable[..., tuple], backwards: bool
    ) -> tuple[Any, list[Any]]:
        if backwards:
            x = tf.reverse(x, [0]) if lengths is None else tf.reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)
        times = tf.range(tf.shape(x)[0])

        def one(carried: tuple, element: tuple) -> tuple:
            time, now = element
            y, *new = step(now, *carried[1:])
            if lengths is not None:
                alive = (time < tf.cast(lengths, tf.int32))[:, None]
                y = tf.where(alive, y, tf.zeros_like(y))
                new = [tf.where(alive, n, old) for n, old in zip(new, carried[1:])]
            return (y, *new)

        start = tf.zeros_like(first[0])
        y, *states = tf.scan(one, (times, x), initializer=(start, *first))
        if backwards:
            y = tf.reverse(y, [0]) if lengths is None else tf.reverse_sequence(y, lengths, seq_axis=0, batch_axis=1)
        return y, [s[-1] for s in states]


def _biases(bias: Any, number: int, size: int) -> tuple[Any, Any]:
    """The biases of the products with inputs and with states."""
    return (None, None) if bias is None else (bias[number, :size], bias[number, size:])


def _affine(x: Any, w: Any, bias: Any) -> Any:
    y = tf.matmul(x, w, transpose_b=True)
    return y if bias is None else y + bias


@operator("RNN")
def rnn(node: Node, x: Any, w: Any, r: Any, bias: Any = None, lengths: Any = None, h0: Any = None) -> Any:
    layer = Layer(node, ["Tanh"], 1)

    def step(number: int) -> Callable[..., tuple]:
        of_input, of_state = _biases(bias, number, layer.hidden)

        def run(now: Any, h: Any) -> tuple:
            new = layer.activation(number, 0)(
                layer.clipped(_affine(now, w[number], of_input) + _affine(h, r[number], of_state))
            )
            return new, new

        return run

    return layer.run(x, lengths, [h0], step)


@operator("GRU")
def gru(node: Node, x: Any, w: Any, r: Any, bias: Any = None, lengths: Any = None, h0: Any = None) -> Any:
    """Gates in the order update, reset, hidden."""
    layer = Layer(node, ["Sigmoid", "Tanh"], 3)
    size = layer.hidden

    def step(number: int) -> Callable[..., tuple]:
        of_input, of_state = _biases(bias, number, 3 * size)
        gate, out = layer.activation(number, 0), layer.activation(number, 1)
        bias_h = None if of_state is None else of_state[2 * size :]
        bias_g = None if of_state is None else of_state[: 2 * size]

        def run(now: Any, h: Any) -> tuple:
            xs = _affine(now, w[number], of_input)
            gates = gate(layer.clipped(xs[:, : 2 * size] + _affine(h, r[number, : 2 * size], bias_g)))
            z, reset = gates[:, :size], gates[:, size:]
            if node.get("linear_before_reset", 0):
                inner = reset * _affine(h, r[number, 2 * size :], bias_h)
            else:
                inner = _affine(reset * h, r[number, 2 * size :], bias_h)
            new = out(layer.clipped(xs[:, 2 * size :] + inner))
            h = (scalar(1, z) - z) * new + z * h
            return h, h

        return run

    return layer.run(x, lengths, [h0], step)


@operator("LSTM")
def lstm(
    node: Node, x: Any, w: Any, r: Any, bias: Any = None, lengths: Any = None, h0: Any = None, c0: Any = None,
    p: Any = None,
) -> Any:
    """Gates in the order input, output, forget, cell; `p` are peepholes."""
    layer = Layer(node, ["Sigmoid", "Tanh", "Tanh"], 4)
    size = layer.hidden

    def step(number: int) -> Callable[..., tuple]:
        of_input, of_state = _biases(bias, number, 4 * size)
        gate, cell, out = (layer.activation(number, i) for i in range(3))
        peep = [None] * 3 if p is None else [p[number, i * size : (i + 1) * size] for i in range(3)]

        def seen(value: Any, c: Any, weights: Any) -> Any:
            return layer.clipped(value if weights is None else value + weights * c)

        def run(now: Any, h: Any, c: Any) -> tuple:
            i, o, f, new = tf.split(_affine(now, w[number], of_input) + _affine(h, r[number], of_state), 4, axis=1)
            i = gate(seen(i, c, peep[0]))
            f = scalar(1, i) - i if node.get("input_forget", 0) else gate(seen(f, c, peep[2]))
            c = f * c + i * cell(layer.clipped(new))
            o = gate(seen(o, c, peep[1]))
            h = o * out(c)
            return h, h, c

        return run

    return layer.run(x, lengths, [h0, c0], step)
