"""Cells of `tf.contrib.rnn` beyond those of `tf.nn.rnn_cell`, and layers of bidirectional ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange
from reflow.api.initializers import Constant, Zeros
from reflow.api.linalg import products
from reflow.api.math import reduce, unary
from reflow.api.nn import activations, embeddings, statistics
from reflow.api.nn.conv import convolution
from reflow.api.nn.dropout import dropout
from reflow.compat.initializers import RandomUniform
from reflow.compat.rnn.cells import GRUCell, LSTMCell, LSTMStateTuple, RNNCell
from reflow.compat.rnn.loops import bidirectional_dynamic_rnn, static_bidirectional_rnn
from reflow.compat.variable_scopes import variable_scope
from reflow.core.shapes import TensorShape


class LSTMBlockCell(LSTMCell):
    """An LSTM cell whose variables are in the scope `lstm_cell`; the compiler makes one kernel of each cell anyhow."""

    def __init__(
        self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None, reuse=None, name="lstm_cell"
    ):
        clip = None if cell_clip is None or cell_clip <= 0 else cell_clip
        super().__init__(num_units, use_peephole, clip, forget_bias=forget_bias, dtype=dtype, reuse=reuse, name=name)


class GRUBlockCellV2(GRUCell):
    """A GRU cell whose variables are in the scope `gru_cell`."""

    def __init__(self, num_units=None, cell_size=None, reuse=None, name="gru_cell"):
        if (num_units is None) == (cell_size is None):
            raise ValueError("Specify exactly one of cell_size and num_units.")
        super().__init__(cell_size if num_units is None else num_units, reuse=reuse, name=name)


GRUBlockCell = GRUBlockCellV2


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM cell with layer normalization of its gates, and dropout of what it adds to its memory."""

    def __init__(
        self, num_units, forget_bias=1.0, input_size=None, activation=unary.tanh, layer_norm=True, norm_gain=1.0,
        norm_shift=0.0, dropout_keep_prob=1.0, dropout_prob_seed=None, reuse=None,
    ):
        super().__init__(_reuse=reuse)
        if input_size is not None:
            raise ValueError("LayerNormBasicLSTMCell: the input_size parameter is deprecated.")
        self._num_units, self._activation, self._forget_bias = num_units, activation, forget_bias
        self._keep, self._seed, self._norm, self._gain, self._shift = (
            dropout_keep_prob, dropout_prob_seed, layer_norm, norm_gain, norm_shift
        )

    state_size = property(lambda self: LSTMStateTuple(self._num_units, self._num_units))
    output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        units = self._num_units
        self._kernel = self.add_weight("kernel", [int(input_shape[-1]) + units, 4 * units])
        if not self._norm:
            self._bias = self.add_weight("bias", [4 * units], initializer=Zeros())
            return
        self._scales = {}
        for scope in ("input", "transform", "forget", "output", "state"):
            gain = self.add_weight(f"{scope}/gamma", [units], initializer=Constant(self._gain))
            self._scales[scope] = gain, self.add_weight(f"{scope}/beta", [units], initializer=Constant(self._shift))

    def _normalized(self, value: Any, scope: str) -> Any:
        if not self._norm:
            return value
        mean, variance = statistics.moments(value, [1], keepdims=True)
        gain, shift = self._scales[scope]
        return statistics.batch_normalization(value, mean, variance, shift, gain, 1e-12)

    def call(self, inputs, state):
        c, h = state
        total = products.matmul(arrange.concat([inputs, h], 1), self._kernel)
        total = total if self._norm else statistics.bias_add(total, self._bias)
        i, j, f, o = (
            self._normalized(part, scope)
            for part, scope in zip(arrange.split(total, 4, 1), ("input", "transform", "forget", "output"), strict=True)
        )
        added = self._activation(j)
        if not isinstance(self._keep, float) or self._keep < 1:
            added = dropout(added, 1 - self._keep, seed=self._seed)
        new_c = c * unary.sigmoid(f + self._forget_bias) + unary.sigmoid(i) * added
        new_c = self._normalized(new_c, "state")
        new_h = self._activation(new_c) * unary.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class NASCell(RNNCell):
    """The cell that Zoph and Le's architecture search found."""

    def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias

    output_size = property(lambda self: self._num_proj or self._num_units)
    state_size = property(lambda self: LSTMStateTuple(self._num_units, self.output_size))

    def build(self, input_shape):
        units = self._num_units
        self._recurrent = self.add_weight("recurrent_kernel", [self.output_size, 8 * units])
        self._kernel = self.add_weight("kernel", [int(input_shape[-1]), 8 * units])
        self._bias = self.add_weight("bias", [8 * units], initializer=Zeros()) if self._use_bias else None
        self._projection = self.add_weight("projection_weights", [units, self._num_proj]) if self._num_proj else None

    def call(self, inputs, state):
        c, m = state
        hidden, given = products.matmul(m, self._recurrent), products.matmul(inputs, self._kernel)
        hidden = hidden if self._bias is None else statistics.bias_add(hidden, self._bias)
        h, x = arrange.split(hidden, 8, 1), arrange.split(given, 8, 1)
        kinds = [
            unary.sigmoid, activations.relu, unary.sigmoid, None, unary.tanh, unary.sigmoid, unary.tanh, unary.sigmoid
        ]
        first = [activations.relu(x[3] * h[3]) if kind is None else kind(x[n] + h[n]) for n, kind in enumerate(kinds)]
        second = [
            unary.tanh(first[0] * first[1]), unary.tanh(first[2] + first[3]), unary.tanh(first[4] * first[5]),
            unary.sigmoid(first[6] + first[7]),
        ]
        second[0] = unary.tanh(second[0] + c)
        new_c = second[0] * second[1]
        new_m = unary.tanh(new_c * unary.tanh(second[2] + second[3]))
        if self._projection is not None:
            new_m = products.matmul(new_m, self._projection)
        return new_m, LSTMStateTuple(new_c, new_m)


class UGRNNCell(RNNCell):
    """A cell with one gate between its old state and the new one."""

    def __init__(self, num_units, initializer=None, forget_bias=1.0, activation=unary.tanh, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer, self._forget_bias, self._activation = (
            num_units, initializer, forget_bias, activation
        )

    state_size = property(lambda self: self._num_units)
    output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        self._kernel = self.add_weight(
            "kernel", [int(input_shape[-1]) + self._num_units, 2 * self._num_units], initializer=self._initializer
        )
        self._bias = self.add_weight("bias", [2 * self._num_units], initializer=Zeros())

    def call(self, inputs, state):
        total = statistics.bias_add(products.matmul(arrange.concat([inputs, state], 1), self._kernel), self._bias)
        gate, candidate = arrange.split(total, 2, 1)
        gate = unary.sigmoid(gate + self._forget_bias)
        new = gate * state + (1.0 - gate) * self._activation(candidate)
        return new, new


class ConvLSTMCell(RNNCell):
    """An LSTM cell on grids: its products are convolutions. `input_shape` is without the batch."""

    def __init__(
        self, conv_ndims, input_shape, output_channels, kernel_shape, use_bias=True, skip_connection=False,
        forget_bias=1.0, initializers=None, name="conv_lstm_cell",
    ):
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._input_shape, self._channels, self._kernel_shape = list(input_shape), output_channels, list(kernel_shape)
        self._use_bias, self._skip, self._forget_bias, self._initializers = (
            use_bias, skip_connection, forget_bias, initializers
        )

    @property
    def state_size(self):
        shape = TensorShape([*self._input_shape[:-1], self._channels])
        return LSTMStateTuple(shape, shape)

    @property
    def output_size(self):
        more = self._input_shape[-1] if self._skip else 0
        return TensorShape([*self._input_shape[:-1], self._channels + more])

    def build(self, input_shape):
        depth = int(input_shape[-1]) + self._channels
        self._kernel = self.add_weight(
            "kernel", [*self._kernel_shape, depth, 4 * self._channels], initializer=self._initializers
        )
        self._bias = self.add_weight("biases", [4 * self._channels], initializer=Zeros()) if self._use_bias else None

    def call(self, inputs, state):
        c, h = state
        total = convolution(arrange.concat([inputs, h], -1), self._kernel, padding="SAME")
        total = total if self._bias is None else total + self._bias
        i, j, f, o = arrange.split(total, 4, -1)
        new_c = unary.sigmoid(f + self._forget_bias) * c + unary.sigmoid(i) * unary.tanh(j)
        new_h = unary.tanh(new_c) * unary.sigmoid(o)
        output = arrange.concat([new_h, inputs], -1) if self._skip else new_h
        return output, LSTMStateTuple(new_c, new_h)


def _of_rank(rank: int, name: str) -> type:
    def start(self, input_shape, output_channels, kernel_shape, name=name, **options):
        ConvLSTMCell.__init__(self, rank, input_shape, output_channels, kernel_shape, name=name, **options)

    return type(
        f"Conv{rank}DLSTMCell", (ConvLSTMCell,),
        {"__init__": start, "__doc__": f"`ConvLSTMCell` on grids of rank {rank}."},
    )


Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell = (_of_rank(rank, f"conv_{rank}d_lstm_cell") for rank in (1, 2, 3))


class _Around(RNNCell):
    """A cell around another."""

    def __init__(self, cell, reuse=None):
        super().__init__(_reuse=reuse)
        if not hasattr(cell, "state_size"):
            raise TypeError(f"The parameter cell must be an RNNCell, but is {cell!r}.")
        self._cell = cell

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)

    def zero_state(self, batch_size, dtype):
        return self._cell.zero_state(batch_size, dtype)


class OutputProjectionWrapper(_Around):
    """A dense layer behind a cell."""

    def __init__(self, cell, output_size, activation=None, reuse=None):
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._size, self._activation = output_size, activation

    output_size = property(lambda self: self._size)

    def build(self, input_shape):
        self._kernel = self.add_weight("kernel", [self._cell.output_size, self._size])
        self._bias = self.add_weight("bias", [self._size], initializer=Zeros())

    def call(self, inputs, state):
        output, new = self._cell(inputs, state)
        projected = statistics.bias_add(products.matmul(output, self._kernel), self._bias)
        return (projected if self._activation is None else self._activation(projected)), new


class InputProjectionWrapper(_Around):
    """A dense layer in front of a cell."""

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super().__init__(cell, reuse)
        self._size, self._activation = num_proj, activation

    def build(self, input_shape):
        self._kernel = self.add_weight("kernel", [int(input_shape[-1]), self._size])
        self._bias = self.add_weight("bias", [self._size], initializer=Zeros())

    def call(self, inputs, state):
        projected = statistics.bias_add(products.matmul(inputs, self._kernel), self._bias)
        return self._cell(projected if self._activation is None else self._activation(projected), state)


class EmbeddingWrapper(_Around):
    """A table in front of a cell: inputs are the numbers of its rows."""

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}."
            )
        self._shape, self._initializer = [embedding_classes, embedding_size], initializer

    def build(self, input_shape):
        self._table = self.add_weight(
            "embedding", self._shape, initializer=self._initializer or RandomUniform(-(3**0.5), 3**0.5)
        )

    def call(self, inputs, state):
        return self._cell(embeddings.embedding_lookup(self._table, arrange.reshape(inputs, [-1])), state)


class HighwayWrapper(_Around):
    """Lets a part of the inputs pass a cell: how much, a gate decides."""

    def __init__(self, cell, couple_carry_transform_gates=True, carry_bias_init=1.0):
        super().__init__(cell)
        self._coupled, self._start = couple_carry_transform_gates, carry_bias_init

    def build(self, input_shape):
        size = int(input_shape[-1])
        names = ["carry"] if self._coupled else ["carry", "transform"]
        self._gates = [
            (
                self.add_weight(f"{n}_w", [size, size]),
                self.add_weight(f"{n}_b", [size], initializer=Constant(sign * self._start)),
            )
            for n, sign in zip(names, (1.0, -1.0), strict=False)
        ]

    def call(self, inputs, state):
        output, new = self._cell(inputs, state)
        gates = [unary.sigmoid(products.matmul(inputs, w) + b) for w, b in self._gates]
        carry, transform = (gates[0], 1.0 - gates[0]) if self._coupled else gates
        return inputs * carry + output * transform, new


class AttentionCellWrapper(_Around):
    """A cell that looks at its last `attn_length` states.

    Their weighted sum goes in and comes out with the inputs and outputs.
    """

    def __init__(
        self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None, state_is_tuple=True, reuse=None
    ):
        super().__init__(cell, reuse)
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            raise ValueError("AttentionCellWrapper: states are tuples.")
        self._length, self._size = attn_length, attn_size or cell.output_size
        self._vector, self._input_size = attn_vec_size or self._size, input_size

    output_size = property(lambda self: self._size)
    state_size = property(lambda self: (self._cell.state_size, self._size, self._size * self._length))

    def zero_state(self, batch_size, dtype):
        return RNNCell.zero_state(self, batch_size, dtype)

    def build(self, input_shape):
        size, vector, given = self._size, self._vector, int(input_shape[-1])
        wanted = self._input_size or given
        rows = sum(s for s in _flat(self._cell.state_size))
        pairs = {
            "input": (given + size, wanted), "attention": (rows, vector),
            "output": (self._cell.output_size + size, size),
        }
        self._dense = {
            name: (
                self.add_weight(f"{name}/kernel", list(shape)),
                self.add_weight(f"{name}/bias", [shape[1]], initializer=Zeros()),
            )
            for name, shape in pairs.items()
        }
        self._keys = self.add_weight("attn_w", [1, 1, size, vector])
        self._look = self.add_weight("attn_v", [vector])

    def _linear(self, name: str, *parts: Any) -> Any:
        kernel, bias = self._dense[name]
        return products.matmul(arrange.concat(list(parts), 1), kernel) + bias

    def call(self, inputs, state):
        inner, attention, memory = state
        memory = arrange.reshape(memory, [-1, self._length, self._size])
        output, inner = self._cell(self._linear("input", inputs, attention), inner)
        query = arrange.reshape(self._linear("attention", *_flat(inner)), [-1, 1, self._vector])
        keys = products.matmul(memory, arrange.reshape(self._keys, [self._size, self._vector]))
        weights = activations.softmax(reduce.reduce_sum(self._look * unary.tanh(keys + query), [2]))
        seen = reduce.reduce_sum(arrange.expand_dims(weights, -1) * memory, [1])
        result = self._linear("output", output, seen)
        memory = arrange.concat([memory[:, 1:], arrange.expand_dims(result, 1)], 1)
        return result, (inner, seen, arrange.reshape(memory, [-1, self._size * self._length]))


def _flat(state: Any) -> list:
    return [part for one in state for part in _flat(one)] if isinstance(state, (list, tuple)) else [state]


class CoupledInputForgetGateLSTMCell(LSTMCell):
    """An LSTM cell that forgets as much as it takes in."""

    def build(self, input_shape):
        rows = int(input_shape[-1]) + self.output_size
        self._kernel = self.add_weight("kernel", [rows, 3 * self._num_units], initializer=self._initializer)
        self._bias = self.add_weight("bias", [3 * self._num_units], initializer=Zeros())

    def __init__(
        self, num_units, use_peepholes=False, initializer=None, num_proj=None, forget_bias=1.0, activation=None,
        reuse=None,
    ):
        if use_peepholes or num_proj is not None:
            raise ValueError("CoupledInputForgetGateLSTMCell has neither peepholes nor projections here; LSTMCell has.")
        super().__init__(
            num_units, initializer=initializer, forget_bias=forget_bias, activation=activation, reuse=reuse
        )

    def call(self, inputs, state):
        c, h = state
        total = statistics.bias_add(products.matmul(arrange.concat([inputs, h], 1), self._kernel), self._bias)
        j, f, o = arrange.split(total, 3, 1)
        forget = unary.sigmoid(f + self._forget_bias)
        new_c = forget * c + (1.0 - forget) * self._activation(j)
        new_h = unary.sigmoid(o) * self._activation(new_c)
        return new_h, LSTMStateTuple(new_c, new_h)


# --- layers of bidirectional cells


def _stacked(cells_fw, cells_bw, states_fw, states_bw, inputs, scope, run: Callable) -> tuple[Any, tuple, tuple]:
    for name, cells in (("cells_fw", cells_fw), ("cells_bw", cells_bw)):
        if not isinstance(cells, (list, tuple)) or not cells:
            raise ValueError(f"Must specify at least one cell for {name}.")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    ends: list[tuple] = []
    with variable_scope(scope, "stack_bidirectional_rnn"):
        for i, (forward, backward) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{i}"):
                first = states_fw[i] if states_fw else None, states_bw[i] if states_bw else None
                inputs, last = run(forward, backward, inputs, *first)
            ends.append(last)
    return inputs, tuple(end[0] for end in ends), tuple(end[1] for end in ends)


def stack_bidirectional_dynamic_rnn(
    cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None, sequence_length=None,
    parallel_iterations=None, time_major=False, scope=None, swap_memory=False,
):
    """Stacked bidirectional networks: each gets the outputs of the one before it.

    Outputs, and the last states of both directions.
    """

    def run(forward, backward, inputs, first_fw, first_bw):
        outputs, last = bidirectional_dynamic_rnn(
            forward, backward, inputs, sequence_length, first_fw, first_bw, dtype, parallel_iterations, swap_memory,
            time_major,
        )
        return arrange.concat(outputs, 2), last

    return _stacked(cells_fw, cells_bw, initial_states_fw, initial_states_bw, inputs, scope, run)


def stack_bidirectional_rnn(
    cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None, sequence_length=None,
    scope=None,
):
    """`stack_bidirectional_dynamic_rnn` over a list of inputs."""

    def run(forward, backward, inputs, first_fw, first_bw):
        outputs, last_fw, last_bw = static_bidirectional_rnn(
            forward, backward, inputs, first_fw, first_bw, dtype, sequence_length
        )
        return outputs, (last_fw, last_bw)

    return _stacked(cells_fw, cells_bw, initial_states_fw, initial_states_bw, inputs, scope, run)


def transpose_batch_time(x):
    """The first two axes of a tensor the other way round."""
    return arrange.transpose(x, [1, 0, *range(2, x.shape.rank)])


def best_effort_input_batch_size(flat_input):
    """The size of the batch of time-major inputs: a number where one is known, a tensor otherwise."""
    known = [x.shape[1] for x in flat_input if x.shape.rank is not None and x.shape[1] is not None]
    return known[0] if known else arrange.shape(flat_input[0])[1]
