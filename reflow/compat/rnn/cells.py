"""`tf.compat.v1.nn.rnn_cell`: one step of a recurrent network, `output, state = cell(inputs, state)`."""

from __future__ import annotations

import collections
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.array.basics import get_static_value
from reflow.api.export import export
from reflow.api.initializers import Constant, Zeros
from reflow.api.linalg import products
from reflow.api.math import unary
from reflow.api.math.clip import clip_by_value
from reflow.api.nn import statistics
from reflow.compat.layers.base import Layer
from reflow.compat.layers.identifiers import activation_of
from reflow.compat.variable_scopes import variable_scope
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.ops.convert import convert_to_tensor

_Pair = collections.namedtuple("_Pair", ("c", "h"))


@export("compat.v1.nn.rnn_cell.LSTMStateTuple")
class LSTMStateTuple(_Pair):
    """The state of an LSTM: the cell's memory `c` and its output `h`.

    >>> state = tf.compat.v1.nn.rnn_cell.LSTMStateTuple(c=tf.zeros([2, 3]), h=tf.ones([2, 3]))
    >>> state.h.shape, state.dtype
    (TensorShape([2, 3]), tf.float32)
    """

    __slots__ = ()

    @property
    def dtype(self):
        """The type of both."""
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


def initial_state(cell: Any, inputs, batch_size, dtype):
    """A state of zeros for a batch of some size, or like some inputs."""
    if inputs is not None:
        inputs = convert_to_tensor(inputs)
        rows = inputs.shape[0]
        if batch_size is not None and rows != _known_size(batch_size):
            words = "batch size from input tensor is different from the input param."
            raise ValueError(f"{words} Input tensor batch: {rows}, batch_size: {batch_size}")
        if dtype is not None and inputs.dtype != dtype:
            words = "dtype from input tensor is different from the input param."
            raise ValueError(f"{words} Input tensor dtype: {inputs.dtype}, dtype: {dtype}")
        batch_size, dtype = rows or arrange.shape(inputs)[0], inputs.dtype
    if batch_size is None or dtype is None:
        words = "batch_size and dtype cannot be None while constructing initial state:"
        raise ValueError(f"{words} batch_size={batch_size}, dtype={dtype}")
    return cell.zero_state(batch_size, dtype)


def _known_size(size):
    """A number that may be a tensor; None if a graph does not know it."""
    if not isinstance(size, Tensor):
        return size
    value = get_static_value(size, partial=True)
    return None if value is None else int(value)


def _require_floats(*kinds):
    """The functions of the cells below are defined for floating point numbers only. None stands for no dtype yet."""
    for kind in (dtypes.as_dtype(kind) for kind in kinds if kind is not None):
        if not (kind.is_floating or kind.is_complex):
            raise ValueError(f"RNN cell only supports floating point inputs, but saw dtype: {kind}")


@export("compat.v1.nn.rnn_cell.RNNCell")
class RNNCell(Layer):
    """The base of cells. A subclass gives `state_size`, `output_size`, `build` and `call(inputs, state)`.

    >>> class Sum(tf.compat.v1.nn.rnn_cell.RNNCell):
    ...     state_size = output_size = 1
    ...     def call(self, inputs, state):
    ...         return state + inputs, state + inputs
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     outputs, last = tf.compat.v1.nn.dynamic_rnn(Sum(), tf.constant([[[1.0], [2.0], [3.0]]]), dtype=tf.float32)
    ...     session.run(outputs).ravel().tolist()
    [1.0, 3.0, 6.0]
    """

    state_size: Any
    output_size: Any

    def __call__(self, inputs, state, scope=None):  # type: ignore[override]  # TensorFlow's order
        if scope is not None and self._scope_object is None:
            self._scope = scope
        return super().__call__(inputs, state)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Zeros, for a batch of some size or like some inputs."""
        return initial_state(self, inputs, batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        """A state of zeros, in the structure of `state_size`."""

        def zeros(size):
            dims = [batch_size, *TensorShape(size).as_list()] if not isinstance(size, int) else [batch_size, size]
            known = all(isinstance(d, int) for d in dims)
            return creation.zeros(dims if known else arrange.stack(dims), dtypes.as_dtype(dtype))

        return nest.map_structure(zeros, self.state_size)


@export("compat.v1.nn.rnn_cell.BasicRNNCell")
class BasicRNNCell(RNNCell):
    """`output = state = activation([inputs, state] · kernel + bias)`.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.BasicRNNCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     output.shape
    TensorShape([2, 4])
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        _require_floats(self._dtype)
        self._num_units, self._activation = num_units, activation_of(activation) or unary.tanh

    state_size = property(lambda self: self._num_units)
    output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        self._kernel = self.add_weight("kernel", [int(input_shape[-1]) + self._num_units, self._num_units])
        self._bias = self.add_weight("bias", [self._num_units], initializer=Zeros())
        self.built = True

    def call(self, inputs, state):
        _require_floats(*(tensor.dtype for tensor in nest.flatten([inputs, state])))
        total = statistics.bias_add(products.matmul(arrange.concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(total)
        return output, output


@export("compat.v1.nn.rnn_cell.GRUCell")
class GRUCell(RNNCell):
    """A gated recurrent unit.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.GRUCell(4)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     output.shape, state.shape
    (TensorShape([2, 4]), TensorShape([2, 4]))
    """

    def __init__(
        self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None,
        dtype=None, **kwargs,
    ):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        _require_floats(self._dtype)
        self._num_units, self._activation = num_units, activation_of(activation) or unary.tanh
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    state_size = property(lambda self: self._num_units)
    output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        rows, units, kernel = int(input_shape[-1]) + self._num_units, self._num_units, self._kernel_initializer
        self._gate_kernel = self.add_weight("gates/kernel", [rows, 2 * units], initializer=kernel)
        self._gate_bias = self.add_weight(
            "gates/bias", [2 * units], initializer=self._bias_initializer or Constant(1.0)
        )
        self._candidate_kernel = self.add_weight("candidate/kernel", [rows, units], initializer=kernel)
        self._candidate_bias = self.add_weight(
            "candidate/bias", [units], initializer=self._bias_initializer or Zeros()
        )
        self.built = True

    def call(self, inputs, state):
        _require_floats(*(tensor.dtype for tensor in nest.flatten([inputs, state])))
        both = arrange.concat([inputs, state], 1)
        gates = unary.sigmoid(statistics.bias_add(products.matmul(both, self._gate_kernel), self._gate_bias))
        reset, update = arrange.split(gates, 2, 1)
        both = arrange.concat([inputs, reset * state], 1)
        candidate = statistics.bias_add(products.matmul(both, self._candidate_kernel), self._candidate_bias)
        new = update * state + (1.0 - update) * self._activation(candidate)
        return new, new


@export("compat.v1.nn.rnn_cell.LSTMCell")
class LSTMCell(RNNCell):
    """A long short-term memory cell, perhaps with peepholes, clipping and a projection.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.LSTMCell(4, use_peepholes=True, num_proj=2)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     output.shape, state.c.shape
    (TensorShape([2, 2]), TensorShape([2, 4]))
    """

    def __init__(
        self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None,
        num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None,
        name=None, dtype=None, **kwargs,
    ):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        _require_floats(self._dtype)
        if num_unit_shards is not None or num_proj_shards is not None:
            raise ValueError("LSTMCell: the number of shards follows from the partitioner of the variable scope.")
        self._num_units, self._num_proj = num_units, num_proj
        self._use_peepholes, self._cell_clip, self._proj_clip = use_peepholes, cell_clip, proj_clip
        self._initializer, self._forget_bias, self._tuple = initializer, forget_bias, state_is_tuple
        self._activation = activation_of(activation) or unary.tanh

    output_size = property(lambda self: self._num_proj or self._num_units)

    @property
    def state_size(self):
        sizes = self._num_units, self._num_proj or self._num_units
        return LSTMStateTuple(*sizes) if self._tuple else sum(sizes)

    def build(self, input_shape):
        rows = int(input_shape[-1]) + self.output_size
        self._kernel = self.add_weight("kernel", [rows, 4 * self._num_units], initializer=self._initializer)
        self._bias = self.add_weight("bias", [4 * self._num_units], initializer=Zeros())
        if self._use_peepholes:
            self._peepholes = [
                self.add_weight(f"w_{gate}_diag", [self._num_units], initializer=self._initializer) for gate in "fio"
            ]
        if self._num_proj is not None:
            self._projection = self.add_weight(
                "projection/kernel", [self._num_units, self._num_proj], initializer=self._initializer
            )
        self.built = True

    def call(self, inputs, state):
        _require_floats(*(tensor.dtype for tensor in nest.flatten([inputs, state])))
        c, h = state if self._tuple else arrange.split(state, [self._num_units, self.output_size], 1)
        total = products.matmul(arrange.concat([inputs, h], 1), self._kernel)
        i, j, f, o = arrange.split(statistics.bias_add(total, self._bias), 4, 1)
        look_f, look_i, look_o = self._peepholes if self._use_peepholes else (None, None, None)
        forget = unary.sigmoid(_plus(f + self._forget_bias, look_f, c))
        new_c = forget * c + unary.sigmoid(_plus(i, look_i, c)) * self._activation(j)
        if self._cell_clip is not None:
            new_c = clip_by_value(new_c, -self._cell_clip, self._cell_clip)
        new_h = unary.sigmoid(_plus(o, look_o, new_c)) * self._activation(new_c)
        if self._num_proj is not None:
            new_h = products.matmul(new_h, self._projection)
            if self._proj_clip is not None:
                new_h = clip_by_value(new_h, -self._proj_clip, self._proj_clip)
        return new_h, LSTMStateTuple(new_c, new_h) if self._tuple else arrange.concat([new_c, new_h], 1)


def _plus(gate, weights, memory):
    return gate if weights is None else gate + weights * memory


@export("compat.v1.nn.rnn_cell.BasicLSTMCell")
class BasicLSTMCell(LSTMCell):
    """A long short-term memory cell without extras.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.BasicLSTMCell(4)
    ...     outputs, state = tf.compat.v1.nn.dynamic_rnn(cell, tf.zeros([2, 5, 3]), dtype=tf.float32)
    ...     outputs.shape, state.h.shape
    (TensorShape([2, 5, 4]), TensorShape([2, 4]))
    """

    def __init__(
        self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None,
        **kwargs,
    ):
        super().__init__(
            num_units, forget_bias=forget_bias, state_is_tuple=state_is_tuple, activation=activation, reuse=reuse,
            name=name, dtype=dtype, **kwargs,
        )


@export("compat.v1.nn.rnn_cell.MultiRNNCell")
class MultiRNNCell(RNNCell):
    """Cells on top of one another: the output of each is the input of the next.

    >>> with tf.Graph().as_default():
    ...     rnn_cell = tf.compat.v1.nn.rnn_cell
    ...     stack = rnn_cell.MultiRNNCell([rnn_cell.GRUCell(4), rnn_cell.GRUCell(6)])
    ...     output, states = stack(tf.zeros([2, 3]), stack.zero_state(2, tf.float32))
    ...     output.shape, len(states)
    (TensorShape([2, 6]), 2)
    """

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if len({id(c) for c in cells}) < len(cells):
            raise ValueError("MultiRNNCell: each cell must be an object of its own; its weights would be shared.")
        self._cells, self._tuple = list(cells), state_is_tuple

    output_size = property(lambda self: self._cells[-1].output_size)

    @property
    def state_size(self):
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._tuple else sum(sizes)

    def call(self, inputs, state):
        parts = state if self._tuple else arrange.split(state, [c.state_size for c in self._cells], 1)
        new = []
        for i, (cell, part) in enumerate(zip(self._cells, parts, strict=True)):
            with variable_scope(f"cell_{i}"):
                inputs, part = cell(inputs, part)
            new.append(part)
        return inputs, tuple(new) if self._tuple else arrange.concat(new, 1)

    variables = property(lambda self: [v for cell in self._cells for v in cell.variables])
    weights = variables
