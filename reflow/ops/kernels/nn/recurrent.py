"""Recurrent cells and layers as one op: LSTM with peepholes, GRU.

An LSTM's product of inputs and weights holds four *gates* side by side: input, new input, forget and output.
`BlockLSTMV2` has them in another order. With peepholes the gates also read the cell's state.
"""

from __future__ import annotations

from reflow.ops import require
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.trace_words import divisible


def _cell(xp, x, cs_prev, h_prev, w, peepholes, b, forget_bias, cell_clip, order="icfo"):
    """(i, cs, f, o, ci, co, h) of one step.

    `peepholes` is the three weights of input, forget and output gate, or None.
    """
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


def _check_cell(x, cs_prev, h_prev, w, wci, wcf, wco, b, use_peephole) -> None:
    """States of as many rows as the inputs, and of one number of units, which the weights have too."""
    require.vectors(wci=wci, wcf=wcf, wco=wco, b=b)
    rows, units = x.shape[-2], cs_prev.shape[-1]
    for name, state in (("cs_prev", cs_prev), ("h_prev", h_prev)):
        if state.shape[0] != rows:
            raise ValueError(f"{name}.dims(0) != batch_size: {state.shape[0]} vs. {rows}")
    if h_prev.shape[1] != units:
        raise ValueError(f"h_prev.dims(1) != cell_size: {h_prev.shape[1]} vs. {units}")
    require.matrix("w", w)
    if w.shape[0] != x.shape[-1] + units:
        raise ValueError(f"w.dim_size(0) != input_size + cell_size: {w.shape[0]} vs. {x.shape[-1] + units}")
    if w.shape[1] != 4 * units:
        raise ValueError(f"w.dim_size(1) != cell_size * 4: {w.shape[1]} vs. {4 * units}")
    for name, weights in (("wci", wci), ("wcf", wcf), ("wco", wco)):
        if weights.shape[0] != units:
            raise ValueError(f"{name}.dim_size(0) != cell_size: {weights.shape[0]} vs. {units}")
    if b.shape[0] != 4 * units:
        raise ValueError(f"b.dim_size(0) != cell_size * 4: {b.shape[0]} vs. {4 * units}")


@op("LSTMBlockCell", fits="2 2", shape=lambda f: [_state_dims(f, 1)] * 7, grad=NO_GRADIENT)
def lstm_block_cell(xp, x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias=1.0, cell_clip=3.0, use_peephole=False):
    _check_cell(x, cs_prev, h_prev, w, wci, wcf, wco, b, use_peephole)
    peepholes = (wci, wcf, wco) if use_peephole else None
    return _cell(xp, x, cs_prev, h_prev, w, peepholes, b, forget_bias, cell_clip)


#: x and the bias of a whole sequence
_SEQUENCE = "* 3 * * * * * * 1"


def _four_gates(f):
    """The bias has a part for each of the four gates."""
    divisible(f.shapes[8][0] if f.shapes[8] else None, 4)


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


@op("BlockLSTM", fits=_SEQUENCE, shape=_sequence_shape, static=("seq_len_max",), trace_check=_four_gates)
def block_lstm(
    xp, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias=1.0, cell_clip=3.0, use_peephole=False
):
    _check_cell(x, cs_prev, h_prev, w, wci, wcf, wco, b, use_peephole)
    peepholes = (wci, wcf, wco) if use_peephole else None
    return _sequence(xp, int(seq_len_max), x, cs_prev, h_prev, w, peepholes, b, forget_bias, cell_clip, "icfo")


@op("BlockLSTMV2", fits=_SEQUENCE, shape=_sequence_shape, static=("seq_len_max",), trace_check=_four_gates)
def block_lstm_v2(xp, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, cell_clip=0.0, use_peephole=False):
    _check_cell(x, cs_prev, h_prev, w, wci, wcf, wco, b, use_peephole)
    peepholes = (wci, wcf, wco) if use_peephole else None
    return _sequence(xp, int(seq_len_max), x, cs_prev, h_prev, w, peepholes, b, 0.0, cell_clip, "ifco")


def _check_gates(x, h_prev, w_ru, w_c, b_ru, b_c) -> None:
    """Weights and biases for as many units as the state has: of two gates, and of the candidate."""
    require.vectors(b_ru=b_ru, b_c=b_c)
    require.rank(2, x=x, h_prev=h_prev, w_ru=w_ru, w_c=w_c)
    units = h_prev.shape[1]
    if h_prev.shape[0] != x.shape[0]:
        raise ValueError(f"h_prev.dims(0) != batch_size: {h_prev.shape[0]} vs. {x.shape[0]}")
    for name, weights, wide in (("w_ru", w_ru, 2), ("w_c", w_c, 1)):
        if weights.shape[0] != x.shape[1] + units:
            raise ValueError(
                f"{name}.dim_size(0) != input_size + cell_size: {weights.shape[0]} vs. {x.shape[1] + units}"
            )
        if weights.shape[1] != wide * units:
            raise ValueError(
                f"{name}.dim_size(1) != cell_size{' * 2' if wide == 2 else ''}: {weights.shape[1]} vs. {wide * units}"
            )
    if b_ru.shape[0] != 2 * units:
        raise ValueError(f"b_ru.dim_size(0) != cell_size * 2: {b_ru.shape[0]} vs. {2 * units}")
    if b_c.shape[0] != units:
        raise ValueError(f"b_c.dim_size(0) != cell_size: {b_c.shape[0]} vs. {units}")


@op("GRUBlockCell", fits="2 2", shape=lambda f: [_state_dims(f, 1)] * 4, grad=NO_GRADIENT)
def gru_block_cell(xp, x, h_prev, w_ru, w_c, b_ru, b_c):
    """Reset and update gate, the candidate, and the new state."""
    _check_gates(x, h_prev, w_ru, w_c, b_ru, b_c)
    gates = xp.sigmoid(xp.add(xp.matmul(xp.concat([x, h_prev], 1), w_ru), b_ru))
    r, u = xp.split(gates, [h_prev.shape[1]] * 2, 1)
    c = xp.tanh(xp.add(xp.matmul(xp.concat([x, xp.multiply(h_prev, r)], 1), w_c), b_c))
    return r, u, c, xp.add(xp.multiply(u, h_prev), xp.multiply(xp.subtract(xp.const(1, u), u), c))


# --- gradients --------------------------------------------------------------------------------------------------------


def _times(xp, *factors):
    product = factors[0]
    for factor in factors[1:]:
        product = xp.multiply(product, factor)
    return product


def _minus(xp, x, power):
    """1 - x, or 1 - x²: what remains of a sigmoid or tanh in its derivative."""
    return xp.subtract(xp.const(1, x), x if power == 1 else xp.square(x))


def _cell_back(xp, cs_prev, peepholes, gates, cs_grad, h_grad):
    """(cotangent of `cs_prev`, those of the gates' sums by name, those of the peepholes) of one step of an LSTM."""
    i, cs, f, o, ci, co = gates
    d_o = _times(xp, o, _minus(xp, o, 1), h_grad, co)
    d_cs = xp.add(_times(xp, _minus(xp, co, 2), h_grad, o), cs_grad)
    if peepholes is not None:
        d_cs = xp.add(d_cs, xp.multiply(d_o, peepholes[2]))
    d_ci = _times(xp, _minus(xp, ci, 2), d_cs, i)
    d_f = _times(xp, f, _minus(xp, f, 1), d_cs, cs_prev)
    d_i = _times(xp, i, _minus(xp, i, 1), d_cs, ci)
    before = xp.multiply(d_cs, f)
    if peepholes is None:
        rest = (xp.zeros(cs.shape[1:], cs.dtype),) * 3
    else:
        before = xp.add(before, xp.add(xp.multiply(d_i, peepholes[0]), xp.multiply(d_f, peepholes[1])))
        rest = tuple(xp.sum(xp.multiply(d, s), (0,), False) for d, s in ((d_i, cs_prev), (d_f, cs_prev), (d_o, cs)))
    return before, {"i": d_i, "c": d_ci, "f": d_f, "o": d_o}, rest


def _cell_grad_shape(f):
    rows, units = _state_dims(f, 1)
    return [(rows, units), (rows, None if units is None else 4 * units), (units,), (units,), (units,)]


@op("LSTMBlockCellGrad", fits="2 2", shape=_cell_grad_shape, grad=NO_GRADIENT)
def lstm_block_cell_grad(
    xp, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, cs_grad, h_grad, use_peephole
):
    _check_cell(x, cs_prev, h_prev, w, wci, wcf, wco, b, use_peephole)
    require.equal_shapes(cs_prev=cs_prev, i=i, cs=cs, f=f, o=o, ci=ci, co=co, cs_grad=cs_grad, h_grad=h_grad)
    peepholes = (wci, wcf, wco) if use_peephole else None
    before, gates, rest = _cell_back(xp, cs_prev, peepholes, (i, cs, f, o, ci, co), cs_grad, h_grad)
    return before, xp.concat([gates[name] for name in "icfo"], 1), *rest


def _sequence_back(xp, steps, x, cs_prev, h_prev, w, peepholes, b, states, cs_grads, h_grads, order):
    """The cotangents of all that `_sequence` takes, from those of its cell states and outputs."""
    total = [xp.zeros_like(w), *[xp.zeros(cs_prev.shape[1:], b.dtype)] * 3, xp.zeros_like(b)]
    d_cs, d_h = xp.zeros_like(cs_prev), xp.zeros_like(h_prev)
    inputs = xp.unstack(x, x.shape[0], 0)
    columns = [xp.unstack(s, x.shape[0], 0) for s in (*states, cs_grads, h_grads)]
    d_x = [xp.zeros_like(inputs[0])] * x.shape[0]
    for t in reversed(range(steps)):
        i, cs, f, o, ci, co, _h, cs_grad, h_grad = (column[t] for column in columns)
        earlier, output = (columns[1][t - 1], columns[6][t - 1]) if t else (cs_prev, h_prev)
        d_cs, gates, rest = _cell_back(
            xp, earlier, peepholes, (i, cs, f, o, ci, co), xp.add(d_cs, cs_grad), xp.add(d_h, h_grad)
        )
        d_sums = xp.concat([gates[name] for name in order], 1)
        joined = xp.concat([inputs[t], output], 1)
        d_x[t], d_h = xp.split(xp.matmul(d_sums, xp.transpose(w, (1, 0))), [x.shape[2], h_prev.shape[1]], 1)
        parts = xp.matmul(xp.transpose(joined, (1, 0)), d_sums), *rest, xp.sum(d_sums, (0,), False)
        total = [xp.add(a, part) for a, part in zip(total, parts, strict=True)]
    return xp.stack(d_x, 0), d_cs, d_h, *total


def _sequence_grad_shape(f):
    ranks = 3, 2, 2, 2, 1, 1, 1, 1
    return [dims or (None,) * rank for dims, rank in zip(f.shapes[1:9], ranks, strict=True)]


def _sequence_grad(name: str, order: str) -> None:
    @op(name, fits="* 3 2 2 2 1 1 1 1", shape=_sequence_grad_shape, static=("seq_len_max",), grad=NO_GRADIENT)
    def kernel(
        xp, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, cs_grad, h_grad, use_peephole
    ):
        require.vectors(wci=wci, wcf=wcf, wco=wco, b=b)
        require.rank(3, x=x, i=i, cs=cs, f=f, o=o, ci=ci, co=co, h=h, cs_grad=cs_grad, h_grad=h_grad)
        for name, state in (("cs_prev", cs_prev), ("h_prev", h_prev)):
            if state.ndim != 2:
                raise ValueError(f"{name} must be rank 2 but is rank {state.ndim}")
        require.equal_shapes(i=i, cs=cs, f=f, o=o, ci=ci, co=co, h=h, cs_grad=cs_grad, h_grad=h_grad)
        require.matrix("w", w)
        if w.shape[1] != b.shape[0]:
            raise ValueError(f"w and b cell_size don't match: {w.shape[1]} vs. {b.shape[0]}")
        peepholes = (wci, wcf, wco) if use_peephole else None
        states = i, cs, f, o, ci, co, h
        return _sequence_back(xp, int(seq_len_max), x, cs_prev, h_prev, w, peepholes, b, states, cs_grad, h_grad, order)


_sequence_grad("BlockLSTMGrad", "icfo")
_sequence_grad("BlockLSTMGradV2", "ifco")


def _gru_grad_shape(f):
    rows, units = _state_dims(f, 1)
    return [f.shapes[0] or (None, None), (rows, units), (rows, units), (rows, None if units is None else 2 * units)]


@op("GRUBlockCellGrad", fits="2 2 2", shape=_gru_grad_shape, grad=NO_GRADIENT)
def gru_block_cell_grad(xp, x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h):
    """The cotangents of input and state, and those of the sums in candidate and gates,
    from which those of the weights follow."""
    _check_gates(x, h_prev, w_ru, w_c, b_ru, b_c)
    require.equal_shapes(h_prev=h_prev, r=r, u=u, c=c, d_h=d_h)
    sizes = [x.shape[1], h_prev.shape[1]]
    d_c = _times(xp, d_h, _minus(xp, u, 1), _minus(xp, c, 2))
    d_u = _times(xp, d_h, xp.subtract(h_prev, c), u, _minus(xp, u, 1))
    d_x, d_reset = xp.split(xp.matmul(d_c, xp.transpose(w_c, (1, 0))), sizes, 1)
    d_r = _times(xp, d_reset, h_prev, r, _minus(xp, r, 1))
    gates = xp.concat([d_r, d_u], 1)
    more_x, more_h = xp.split(xp.matmul(gates, xp.transpose(w_ru, (1, 0))), sizes, 1)
    d_before = xp.add(xp.add(more_h, xp.multiply(d_reset, r)), xp.multiply(d_h, u))
    return xp.add(d_x, more_x), d_before, d_c, gates
