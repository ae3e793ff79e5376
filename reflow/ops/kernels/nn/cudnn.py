"""cuDNN's recurrent networks (`CudnnRNN`, its gradient, its parameters) on any device.

TensorFlow has these only on GPUs. Keras 2 and many saved models use them, so they are written here on `xp`: layers of
LSTM, GRU or plain cells over a whole sequence, in one or both directions, with dropout between layers.
`cudnn_layout.py` describes the layout of the parameters.

- A *step* adds `from_input` (input times weights plus bias, for all times at once) and `from_state` (state times
  weights plus bias). In a GRU the reset gate multiplies `from_state` of the candidate, with its bias.
- After the end of a sequence (`sequence_lengths`) the state stays and the output is zero. Backwards in time a sequence
  therefore begins at its own last step.
- `reserve_space` holds the dropout masks of all layers except the first, already divided by the keep probability. The
  gradient recomputes the states.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.ops import require
from reflow.ops.dispatch import run
from reflow.ops.kernels.nn.cudnn_layout import CellWeights, Layout
from reflow.ops.kernels.random.sampling import blocks_for_samples, draw, in_program, stream
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.shape_facts import text

# --- one step of one cell ---------------------------------------------------------------------------------------------


def _gates(xp, layout, x):
    return xp.split(x, [layout.units] * layout.gates, 1)


def _slope(xp, x, power):
    """The derivative of a sigmoid (1) or tanh (2) by its value."""
    return xp.multiply(x, xp.subtract(xp.const(1, x), x)) if power == 1 else xp.subtract(xp.const(1, x), xp.square(x))


def _step(xp, layout, from_input, from_state, h, c):
    """(new h, new c, values that `_step_back` needs). Without a projection; `c` of all but an LSTM passes through."""
    if layout.mode == "lstm":
        i, f, g, o = _gates(xp, layout, xp.add(from_input, from_state))
        i, f, g, o = xp.sigmoid(i), xp.sigmoid(f), xp.tanh(g), xp.sigmoid(o)
        new_c = xp.add(xp.multiply(f, c), xp.multiply(i, g))
        bent = xp.tanh(new_c)
        return xp.multiply(o, bent), new_c, (i, f, g, o, bent)
    if layout.mode == "gru":
        (input_r, input_z, input_n), (state_r, state_z, state_n) = (
            _gates(xp, layout, s) for s in (from_input, from_state)
        )
        r, z = xp.sigmoid(xp.add(input_r, state_r)), xp.sigmoid(xp.add(input_z, state_z))
        n = xp.tanh(xp.add(input_n, xp.multiply(r, state_n)))
        return xp.add(xp.multiply(xp.subtract(xp.const(1, z), z), n), xp.multiply(z, h)), c, (r, z, n, state_n)
    total = xp.add(from_input, from_state)
    new = xp.relu(total) if layout.mode == "rnn_relu" else xp.tanh(total)
    return new, c, (new,)


def _step_back(xp, layout, kept, h, c, d_h, d_c):
    """Cotangents of (from_input, from_state, h, c) from those of a step's results, without h's through `from_state`."""
    if layout.mode == "lstm":
        i, f, g, o, bent = kept
        d_c = xp.add(d_c, xp.multiply(xp.multiply(d_h, o), _slope(xp, bent, 2)))
        sums = xp.concat([
            xp.multiply(xp.multiply(d_c, g), _slope(xp, i, 1)),
            xp.multiply(xp.multiply(d_c, c), _slope(xp, f, 1)),
            xp.multiply(xp.multiply(d_c, i), _slope(xp, g, 2)),
            xp.multiply(xp.multiply(d_h, bent), _slope(xp, o, 1)),
        ], 1)
        return sums, sums, xp.zeros_like(h), xp.multiply(d_c, f)
    if layout.mode == "gru":
        r, z, n, state_n = kept
        d_n = xp.multiply(xp.multiply(d_h, xp.subtract(xp.const(1, z), z)), _slope(xp, n, 2))
        d_z = xp.multiply(xp.multiply(d_h, xp.subtract(h, n)), _slope(xp, z, 1))
        d_r = xp.multiply(xp.multiply(d_n, state_n), _slope(xp, r, 1))
        from_state = xp.concat([d_r, d_z, xp.multiply(d_n, r)], 1)
        return xp.concat([d_r, d_z, d_n], 1), from_state, xp.multiply(d_h, z), d_c
    (new,) = kept
    slope = xp.cast(xp.greater(new, xp.const(0, new)), new.dtype) if layout.mode == "rnn_relu" else _slope(xp, new, 2)
    sums = xp.multiply(d_h, slope)
    return sums, sums, xp.zeros_like(h), d_c


# --- one cell over a sequence -----------------------------------------------------------------------------------------


def _turned(xp, x):
    return xp.transpose(x, (1, 0))


def _from_input(xp, layout, weights, x):
    """What the gates get from the inputs of all times."""
    if not weights.of_input.shape[1]:
        return xp.add(xp.concat([x] * layout.gates, 2), weights.input_bias)
    times, rows, columns = x.shape
    product = xp.matmul(xp.reshape(x, (times * rows, columns)), _turned(xp, weights.of_input))
    return xp.add(xp.reshape(product, (times, rows, product.shape[1])), weights.input_bias)


def _sequence(xp, layout, weights, x, h, c, valid):
    """A cell over the times of x: (last states h and c, outputs, and for each time what `_sequence_back` needs)."""
    turned = _turned(xp, weights.of_state)

    def step(carry, inputs):
        h, c = carry
        from_input, now = inputs
        new_h, new_c, kept = _step(xp, layout, from_input, xp.add(xp.matmul(h, turned), weights.state_bias), h, c)
        before = new_h
        if weights.projection is not None:
            new_h = xp.matmul(new_h, _turned(xp, weights.projection))
        output = xp.select(now, new_h, xp.zeros_like(new_h))
        new_h, new_c = xp.select(now, new_h, h), xp.select(now, new_c, c)
        return (new_h, new_c), (output, (h, c, before, kept))

    (h, c), (outputs, record) = xp.scan(step, (h, c), (_from_input(xp, layout, weights, x), valid))
    return h, c, outputs, record


def _sequence_back(xp, layout, weights, x, record, valid, d_outputs, d_h, d_c):
    """The cotangents of (x, h, c, weights) of `_sequence`."""
    projection = weights.projection

    def step(carry, inputs):
        d_h, d_c = carry
        (h, c, _, kept), now, d_output = inputs
        nothing, none = xp.zeros_like(d_h), xp.zeros_like(d_c)
        here = xp.select(now, xp.add(d_h, d_output), nothing)
        unprojected = here if projection is None else xp.matmul(here, projection)
        d_input, d_state, straight, earlier = _step_back(
            xp, layout, kept, h if projection is None else c, c, unprojected, xp.select(now, d_c, none)
        )
        through = xp.matmul(d_state, weights.of_state)
        through = through if projection is not None else xp.add(through, straight)
        carry = xp.add(xp.select(now, nothing, d_h), through), xp.select(now, earlier, d_c)
        return carry, (d_input, d_state, here)

    backwards = _flipped(xp, (record, valid, d_outputs))
    (d_h, d_c), found = xp.scan(step, (d_h, d_c), backwards)
    d_input, d_state, d_projected = _flipped(xp, found)
    states, _, before, _ = record
    projected = None if projection is None else _product_over_time(xp, d_projected, before)
    gradient = CellWeights(
        _product_over_time(xp, d_input, x) if weights.of_input.shape[1] else weights.of_input,
        _product_over_time(xp, d_state, states), projected, xp.sum(d_input, (0, 1), False),
        xp.sum(d_state, (0, 1), False),
    )
    if weights.of_input.shape[1]:
        times, rows, columns = d_input.shape
        d_x = xp.matmul(xp.reshape(d_input, (times * rows, columns)), weights.of_input)
        d_x = xp.reshape(d_x, (times, rows, d_x.shape[1]))
    else:
        parts = xp.split(d_input, [layout.units] * layout.gates, 2)
        d_x = parts[0]
        for part in parts[1:]:
            d_x = xp.add(d_x, part)
    return d_x, d_h, d_c, gradient


def _product_over_time(xp, a, b):
    """The sum over times and rows of the outer products of a and b."""
    return xp.einsum("tbi,tbj->ij", a, b)


def _flipped(xp, nest):
    if isinstance(nest, tuple):
        return tuple(_flipped(xp, part) for part in nest)
    return xp.flip(nest, (0,))


# --- all layers -------------------------------------------------------------------------------------------------------


class _Network:
    """The operands of one op, time first, taken apart into cells."""

    def __init__(self, xp, attrs, x, h, c, params, lengths=None):
        self.xp, self.attrs, self.time_major = xp, attrs, attrs.get("time_major", True)
        require.rank(3, input=x, input_h=h)
        self.x, self.h = self.turned(x), self.turned(h)
        times, rows, size = self.x.shape
        directions = 2 if attrs.get("direction") == "bidirectional" else 1
        projected = attrs.get("num_proj", 0)
        units = c.shape[2] if projected else self.h.shape[2]
        self.layout = layout = Layout.of(attrs, self.h.shape[0] // directions, units, size)
        _fits("input_h", self.h, (layout.cells, rows, layout.state_size))
        if layout.mode == "lstm":
            self.c = self.turned(c)
            _fits("input_c", self.c, (layout.cells, rows, units))
        else:
            self.c = xp.zeros_like(self.h)
        self.weights = layout.unpack(xp, params)
        self.valid = self._valid(lengths, times, rows)

    def turned(self, x):
        """Between the operands' order of axes and time (or layer) first."""
        return x if self.time_major else self.xp.transpose(x, (1, 0, 2))

    def _valid(self, lengths, times, rows):
        xp = self.xp
        if lengths is None:
            return xp.full((times, rows, 1), True, np.dtype(bool))
        require.vector("sequence_lengths", lengths, rows)
        time = xp.asarray(np.arange(times).reshape(times, 1, 1), np.dtype(np.int32))
        return xp.less(time, xp.reshape(lengths, (1, rows, 1)))

    def mask_shape(self):
        """The masks of all layers but the first: none without dropout."""
        layout, rate = self.layout, self.attrs.get("dropout", 0.0)
        drops = rate > 0 and self.attrs.get("is_training", True)
        return layout.layers - 1 if drops else 0, *self.x.shape[:2], layout.state_size * layout.directions

    def forward(self, masks):
        """(outputs, h, c, and for each layer its input and the records of its cells)."""
        xp, x, layout = self.xp, self.x, self.layout
        states, cells, records = xp.unstack(self.h, layout.cells, 0), xp.unstack(self.c, layout.cells, 0), []
        after_h, after_c = [], []
        for layer in range(layout.layers):
            if layer and masks is not None:
                x = xp.multiply(x, masks[layer - 1])
            outputs, kept = [], []
            for way in range(layout.directions):
                number = layer * layout.directions + way
                valid, own = (_flipped(xp, (self.valid, x)) if way else (self.valid, x))
                h, c, output, record = _sequence(
                    xp, layout, self.weights[number], own, states[number], cells[number], valid
                )
                outputs.append(xp.flip(output, (0,)) if way else output)
                after_h.append(h)
                after_c.append(c)
                kept.append(record)
            records.append((x, kept))
            x = outputs[0] if len(outputs) == 1 else xp.concat(outputs, 2)
        return x, xp.stack(after_h, 0), xp.stack(after_c, 0), records

    def backward(self, masks, d_output, d_h, d_c):
        """The cotangents of (x, h, c, params)."""
        xp, layout = self.xp, self.layout
        records = self.forward(masks)[3]
        d_states, d_cells = xp.unstack(d_h, layout.cells, 0), xp.unstack(d_c, layout.cells, 0)
        weights: list = [None] * layout.cells
        d_x = d_output
        for layer in reversed(range(layout.layers)):
            x, kept = records[layer]
            parts = xp.split(d_x, [layout.state_size] * layout.directions, 2)
            for way in range(layout.directions):
                number = layer * layout.directions + way
                own, valid, part = (_flipped(xp, (x, self.valid, parts[way])) if way else (x, self.valid, parts[way]))
                part, d_states[number], d_cells[number], weights[number] = _sequence_back(
                    xp, layout, self.weights[number], own, kept[way], valid, part, d_states[number], d_cells[number]
                )
                d_x = xp.add(d_x, xp.flip(part, (0,))) if way else part
            if layer and masks is not None:
                d_x = xp.multiply(d_x, masks[layer - 1])
        return d_x, xp.stack(d_states, 0), xp.stack(d_cells, 0), layout.pack(xp, weights)


def _fits(name, x, shape):
    if tuple(x.shape) != shape:
        raise ValueError(f"Invalid {name} shape: {text(x.shape)} {text(shape)}")


# --- the ops ----------------------------------------------------------------------------------------------------------


def _forward(xp, name, attrs, x, h, c, params, lengths=None):
    network = _Network(xp, attrs, x, h, c, params, lengths)
    shape = network.mask_shape()
    masks = xp.zeros(shape, x.dtype)
    if math.prod(shape):
        keep = 1 - attrs["dropout"]
        drawn = draw(xp, "RandomUniform", *stream(name, attrs, shape), shape, np.dtype(np.float32))
        kept = xp.cast(xp.less(drawn, xp.const(keep, drawn)), x.dtype)
        masks = xp.divide(kept, xp.const(keep, kept))
    outputs, h, c, _ = network.forward(masks if math.prod(shape) else None)
    last = network.turned(c) if network.layout.mode == "lstm" else xp.zeros((), x.dtype)
    return network.turned(outputs), network.turned(h), last, xp.reshape(masks, (math.prod(shape),))


def _backward(xp, attrs, x, h, c, params, lengths, d_output, d_h, d_c, reserve_space):
    network = _Network(xp, attrs, x, h, c, params, lengths)
    masks = xp.reshape(reserve_space, network.mask_shape()) if math.prod(reserve_space.shape) else None
    lstm = network.layout.mode == "lstm"
    d_c = network.turned(d_c) if lstm else xp.zeros_like(network.h)
    d_x, d_h, d_c, weights = network.backward(masks, network.turned(d_output), network.turned(d_h), d_c)
    return network.turned(d_x), network.turned(d_h), network.turned(d_c) if lstm else xp.zeros_like(c), weights


def _host_reserved(xp):
    """What cuDNN notes for its gradient about the algorithm it chose: nothing here."""
    return xp.zeros((0,), np.dtype(np.int8))


def _shape(f):
    """(times, rows, units of both directions), then the states as they came."""
    x, h = f.shapes[0] or (None,) * 3, f.shapes[1] or (None,) * 3
    size = h[2] and h[2] * (2 if f.attr("direction") == "bidirectional" else 1)
    c = f.shapes[1] if not f.attrs.get("num_proj") else f.shapes[2]
    rest = [None] * (len(f.op.definition.outputs) - 3)
    return [(x[0], x[1], size), f.shapes[1], c if f.attr("rnn_mode") == "lstm" else (), *rest]


def _gradient(name, lengths):
    """The gradient as the op called `name`, which takes `lengths` operands between the parameters and the results."""

    def grad(attrs, inputs, outputs, cotangents, wanted):
        if not attrs.get("is_training", True):
            raise ValueError(
                f"The gradient of {name.replace('Backprop', '')} needs is_training=True: without it "
                "the op keeps nothing for it."
            )
        given = [run("ZerosLike", o) if g is None else g for g, o in zip(cotangents[:3], outputs[:3], strict=True)]
        own = {k: v for k, v in attrs.items() if k not in ("is_training", "T") and not k.startswith("_")}
        found = run(name, *inputs, *outputs[:3], *given, *outputs[3:], **own)
        return [*found, *[None] * lengths]

    return grad


_FACTS = {"shape": _shape, "lower": in_program(blocks_for_samples, output=3)}
_RANKS = "3 3 * 1"


@op("CudnnRNN", fits=_RANKS, grad_tensors=_gradient("CudnnRNNBackprop", 0), **_FACTS)
def cudnn_rnn(xp, input, input_h, input_c, params, **attrs):
    return _forward(xp, "CudnnRNN", attrs, input, input_h, input_c, params)


@op("CudnnRNNV2", fits=_RANKS, grad_tensors=_gradient("CudnnRNNBackpropV2", 0), **_FACTS)
def cudnn_rnn_v2(xp, input, input_h, input_c, params, **attrs):
    return *_forward(xp, "CudnnRNNV2", attrs, input, input_h, input_c, params), _host_reserved(xp)


@op("CudnnRNNV3", fits="3 3 3 1 1", grad_tensors=_gradient("CudnnRNNBackpropV3", 1), **_FACTS)
def cudnn_rnn_v3(xp, input, input_h, input_c, params, sequence_lengths, **attrs):
    return *_forward(xp, "CudnnRNNV3", attrs, input, input_h, input_c, params, sequence_lengths), _host_reserved(xp)


_BACK: dict = {"shape": lambda f: list(f.shapes[:4]), "pure": True}


@op("CudnnRNNBackprop", **_BACK)
def cudnn_rnn_backprop(
    xp, input, input_h, input_c, params, output, output_h, output_c, output_backprop, output_h_backprop,
    output_c_backprop, reserve_space, **attrs,
):
    cotangents = output_backprop, output_h_backprop, output_c_backprop
    return _backward(xp, attrs, input, input_h, input_c, params, None, *cotangents, reserve_space)


@op("CudnnRNNBackpropV2", **_BACK)
def cudnn_rnn_backprop_v2(
    xp, input, input_h, input_c, params, output, output_h, output_c, output_backprop, output_h_backprop,
    output_c_backprop, reserve_space, host_reserved, **attrs,
):
    cotangents = output_backprop, output_h_backprop, output_c_backprop
    return _backward(xp, attrs, input, input_h, input_c, params, None, *cotangents, reserve_space)


@op("CudnnRNNBackpropV3", **_BACK)
def cudnn_rnn_backprop_v3(
    xp, input, input_h, input_c, params, sequence_lengths, output, output_h, output_c, output_backprop,
    output_h_backprop, output_c_backprop, reserve_space, host_reserved, **attrs,
):
    cotangents = output_backprop, output_h_backprop, output_c_backprop
    return _backward(xp, attrs, input, input_h, input_c, params, sequence_lengths, *cotangents, reserve_space)


# --- parameters -------------------------------------------------------------------------------------------------------

_SIZES = ("num_layers", "num_units", "input_size")


def _layout(attrs, *sizes):
    """The layout by the three operands that all these ops begin with."""
    require.scalars(**dict(zip(_SIZES, sizes, strict=True)))
    return Layout.of(attrs, *[int(size) for size in sizes])


@op("CudnnRNNParamsSize", fits="0 0 0", shape=lambda f: [(1,)], static=_SIZES, grad=NO_GRADIENT)
def params_size(xp, num_layers, num_units, input_size, **attrs):
    size = _layout(attrs, num_layers, num_units, input_size).size()
    return xp.asarray([size], attrs["S"].np_dtype)


def _canonical_shape(f):
    names = ("num_params",) * 2 if "num_params" in f.attrs else ("num_params_weights", "num_params_biases")
    return [(None, None)] * f.attrs[names[0]] + [(None,)] * f.attrs[names[1]]


def _to_canonical(xp, num_layers, num_units, input_size, params, **attrs):
    layout = _layout(attrs, num_layers, num_units, input_size)
    _counted(attrs, layout)
    weights, biases = layout.split(xp, params)
    return *weights, *biases


def _to_params(xp, num_layers, num_units, input_size, weights, biases, **attrs):
    layout = _layout(attrs, num_layers, num_units, input_size)
    _counted(attrs, layout)
    expected = [*layout.all_weight_shapes(), *[(layout.units,)] * layout.bias_count()]
    for part, shape in zip((*weights, *biases), expected, strict=True):
        if math.prod(part.shape) != math.prod(shape):
            raise ValueError(f"Params size mismatch. Expected {math.prod(shape)}, got {math.prod(part.shape)}")
    return layout.join(xp, weights, biases)


def _counted(attrs, layout):
    """The numbers of matrices and biases that the node says must be those of the network."""
    weights, biases = layout.weight_count(), layout.bias_count()
    given = (
        attrs.get("num_params_weights", attrs.get("num_params")),
        attrs.get("num_params_biases", attrs.get("num_params")),
    )
    if given != (weights, biases):
        raise ValueError(
            f"Number of params mismatch. Expected {weights} weights and {biases} biases, got {given[0]} and {given[1]}"
        )


for _version in ("", "V2"):
    op(
        "CudnnRNNParamsToCanonical" + _version, shape=_canonical_shape, static=_SIZES, fits="0 0 0 1"
    )(_to_canonical)
    op(
        "CudnnRNNCanonicalToParams" + _version, shape=lambda f: [(None,)], static=_SIZES, fits="0 0 0"
    )(_to_params)
