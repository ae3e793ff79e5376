"""Cells and layers of recurrent networks as one op: LSTM with peepholes, GRU.

An LSTM's product of inputs and weights holds four *gates* side by side: input, new input, forget and output. `BlockLSTMV2` has them in
another order. With peepholes the gates also look at the cell's state.
"""

from __future__ import annotations

from reflow.ops.registry import NO_GRADIENT, op


def _cell(xp, x, cs_prev, h_prev, w, peepholes, b, forget_bias, cell_clip, order="icfo"):
    """(i, cs, f, o, ci, co, h) of one step. `peepholes` is the three weights of input, forget and output gate, or None."""
    product = xp.add(xp.matmul(xp.concat([x, h_prev], 1), w), b)
    gate = dict(zip(order, xp.split(product, [cs_prev.shape[1]] * 4, 1), strict=True))
    forget = xp.add(gate["f"], xp.const(forget_bias, b))
    if peepholes is not None:
        gate["i"] = xp.add(gate["i"], xp.multiply(cs_prev, peepholes[0]))
        forget = xp.add(forget, xp.multiply(cs_prev, peepholes[1]))
    i, f, ci = xp.sigmoid(gate["i"]), xp.sigmoid(forget), xp.tanh(gate["c"])
    cs = xp.add(xp.multiply(ci, i), xp.multiply(cs_prev, f))
    if cell_clip > 0:
        limit = xp.const(cell_clip, cs)
        cs = xp.maximum(xp.minimum(cs, limit), xp.negative(limit))
    output = gate["o"] if peepholes is None else xp.add(gate["o"], xp.multiply(cs, peepholes[2]))
    o, co = xp.sigmoid(output), xp.tanh(cs)
    return i, cs, f, o, ci, co, xp.multiply(co, o)


def _state_dims(f, index):
    """The shape of a state, rows by units."""
    return f.shapes[index] or (None, None)


@op("LSTMBlockCell", shape=lambda f: [_state_dims(f, 1)] * 7, grad=NO_GRADIENT)
def lstm_block_cell(xp, x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias=1.0, cell_clip=3.0, use_peephole=False):
    peepholes = (wci, wcf, wco) if use_peephole else None
    return _cell(xp, x, cs_prev, h_prev, w, peepholes, b, forget_bias, cell_clip)


def _sequence_shape(f):
    return [(f.shapes[1] and f.shapes[1][0], *_state_dims(f, 2))] * 7


def _sequence(xp, steps, x, cs, h, w, peepholes, b, forget_bias, cell_clip, order):
    """The cell for each step; zeros after the last step of a sequence."""
    found = []
    for step in xp.unstack(x, x.shape[0], 0)[:steps]:
        found.append(_cell(xp, step, cs, h, w, peepholes, b, forget_bias, cell_clip, order))
        cs, h = found[-1][1], found[-1][6]
    found += [(xp.zeros_like(cs),) * 7] * (x.shape[0] - len(found))
    return tuple(xp.stack(list(parts), 0) for parts in zip(*found, strict=True))


@op("BlockLSTM", shape=_sequence_shape, static=("seq_len_max",))
def block_lstm(
    xp, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias=1.0, cell_clip=3.0, use_peephole=False
):
    peepholes = (wci, wcf, wco) if use_peephole else None
    return _sequence(xp, int(seq_len_max), x, cs_prev, h_prev, w, peepholes, b, forget_bias, cell_clip, "icfo")


@op("BlockLSTMV2", shape=_sequence_shape, static=("seq_len_max",))
def block_lstm_v2(xp, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, cell_clip=0.0, use_peephole=False):
    peepholes = (wci, wcf, wco) if use_peephole else None
    return _sequence(xp, int(seq_len_max), x, cs_prev, h_prev, w, peepholes, b, 0.0, cell_clip, "ifco")


@op("GRUBlockCell", shape=lambda f: [_state_dims(f, 1)] * 4, grad=NO_GRADIENT)
def gru_block_cell(xp, x, h_prev, w_ru, w_c, b_ru, b_c):
    """Reset and update gate, the candidate, and the new state."""
    gates = xp.sigmoid(xp.add(xp.matmul(xp.concat([x, h_prev], 1), w_ru), b_ru))
    r, u = xp.split(gates, [h_prev.shape[1]] * 2, 1)
    c = xp.tanh(xp.add(xp.matmul(xp.concat([x, xp.multiply(h_prev, r)], 1), w_c), b_c))
    return r, u, c, xp.add(xp.multiply(u, h_prev), xp.multiply(xp.subtract(xp.const(1, u), u), c))
