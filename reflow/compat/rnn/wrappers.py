"""Cell wrappers: dropout, residual connections, devices.

Each wrapper has two classes over one `step`: `tf.compat.v1.nn.rnn_cell.…Wrapper`, which calls the cell in a variable
scope, and `tf.nn.RNNCell…Wrapper`, a module that calls the cell's `call` and so accepts Keras cells.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

from reflow.api.config import device
from reflow.api.control.tensor_array import TensorArray
from reflow.api.export import export
from reflow.api.math.unary import floor
from reflow.api.nn.dropout import dropout
from reflow.api.random.sampling import uniform
from reflow.compat.rnn.cells import LSTMStateTuple, RNNCell, initial_state
from reflow.core import nest
from reflow.core.dtypes import float32
from reflow.core.shallow_nest import get_traverse_shallow_structure, map_structure_with_tuple_paths_up_to
from reflow.core.shapes import TensorShape
from reflow.eager.module import Module

#: one step of the cell that is wrapped: inputs and state to outputs and the next state
Step = Callable[[Any, Any], tuple[Any, Any]]


# --- what a wrapper does ----------------------------------------------------------------------------------------------


def _all_but_memory(state: Any) -> Any:
    """Which parts of a state dropout touches unless the user says.

    Not the memory of an LSTM, and no array of tensors.
    """
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


class _Dropout:
    """Drops elements of a cell's inputs, states and outputs."""

    state_size: Any
    output_size: Any

    def _set(
        self, input_keep_prob, output_keep_prob, state_keep_prob, variational_recurrent, input_size, dtype, seed,
        state_filter,
    ) -> None:
        self._keep = {"input": input_keep_prob, "state": state_keep_prob, "output": output_keep_prob}
        for name, keep in self._keep.items():
            if isinstance(keep, (int, float)) and not 0.0 <= keep <= 1.0:
                raise ValueError(f"Parameter {name}_keep_prob must be between 0 and 1: {keep}")
        self._seed, self._filter = seed, state_filter or _all_but_memory
        self._noise: dict[str, list] = {}
        if variational_recurrent:
            self._draw_noise(input_size, dtype)

    def _draw_noise(self, input_size, dtype) -> None:
        """A dropout mask that is the same in all steps: one row for all examples of a batch."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        if input_size is None and self._drops("input"):
            raise ValueError(
                "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be provided"
            )
        sizes = {"input": input_size, "state": self.state_size, "output": self.output_size}
        for name in filter(self._drops, sizes):
            self._noise[name] = [
                uniform([1, *TensorShape(size).as_list()], dtype=dtype, seed=self._seed_of(name, i))
                for i, size in enumerate(nest.flatten(sizes[name]))
            ]

    def _drops(self, name: str) -> bool:
        keep = self._keep[name]
        return not (isinstance(keep, (int, float)) and keep >= 1.0)

    def _seed_of(self, name: str, i: int) -> int | None:
        """A seed for each part, derived from the wrapper's own: equal ones would drop the same positions."""
        if self._seed is None:
            return None
        return (
            int(hashlib.md5(f"{self._seed}{name}_{i}".encode(), usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF
        )

    def _dropped(self, name: str, values: Any, wanted: Any = True) -> Any:
        """`values` with elements set to zero, where `wanted` says so."""
        if not self._drops(name):
            return values
        shallow = nest.map_structure(lambda _: True, values) if wanted is True else wanted
        count = iter(range(len(nest.flatten(values))))

        def part(_, drop, value):
            if not isinstance(drop, bool) or not drop:
                return value
            return self._thinned(name, next(count), value)

        return map_structure_with_tuple_paths_up_to(shallow, part, shallow, values)

    def _thinned(self, name: str, i: int, value: Any) -> Any:
        keep = self._keep[name]
        if name not in self._noise:
            return dropout(value, rate=1.0 - keep, seed=self._seed_of(name, i))
        result = value / keep * floor(self._noise[name][i] + keep)
        result.set_shape(value.shape)
        return result

    def step(self, call: Step, inputs: Any, state: Any) -> tuple[Any, Any]:
        output, new = call(self._dropped("input", inputs), state)
        if self._drops("state"):
            new = self._dropped("state", new, get_traverse_shallow_structure(self._filter, new))
        return self._dropped("output", output), new


def _sum(inputs: Any, outputs: Any) -> Any:
    return nest.map_structure(lambda a, b: a + b, inputs, outputs)


class _Residual:
    """Adds a cell's inputs to its outputs, or combines them with a user function."""

    _residual_fn: Callable[[Any, Any], Any]

    def step(self, call: Step, inputs: Any, state: Any) -> tuple[Any, Any]:
        output, new = call(inputs, state)
        joined = self._residual_fn(inputs, output)
        nest.map_structure(lambda a, b: b.shape.assert_is_compatible_with(a.shape), output, joined)
        return joined, new


class _Device:
    """Runs a cell on a device."""

    _device: Any

    def step(self, call: Step, inputs: Any, state: Any) -> tuple[Any, Any]:
        with device(self._device):
            return call(inputs, state)


# --- version 1 --------------------------------------------------------------------------------------------------------


class _Wrapper(RNNCell):
    """A cell around another, with its sizes and variables."""

    step: Callable[..., tuple[Any, Any]]

    def __init__(self, cell):
        super().__init__()
        if not hasattr(cell, "state_size"):
            raise TypeError(f"The parameter cell must be an RNNCell, but is {cell!r}.")
        self._cell = cell

    wrapped_cell = property(lambda self: self._cell)
    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)
    variables = property(lambda self: self._cell.variables)
    weights = variables

    def __call__(self, inputs, state, scope=None):
        return self.step(lambda inputs, state: self._cell(inputs, state, scope), inputs, state)

    def zero_state(self, batch_size, dtype):
        return self._cell.zero_state(batch_size, dtype)


@export("compat.v1.nn.rnn_cell.DropoutWrapper")
class DropoutWrapper(_Dropout, _Wrapper):
    """Drops elements of a cell's inputs, states and outputs; the arguments say how many to keep.

    `variational_recurrent` drops the same places in all steps, and needs `dtype`, and `input_size` if inputs are
    dropped.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.DropoutWrapper(tf.compat.v1.nn.rnn_cell.GRUCell(4), output_keep_prob=0.5)
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     output.shape
    TensorShape([2, 4])
    """

    def __init__(
        self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False,
        input_size=None, dtype=None, seed=None, dropout_state_filter_visitor=None,
    ):
        _Wrapper.__init__(self, cell)
        self._set(
            input_keep_prob, output_keep_prob, state_keep_prob, variational_recurrent, input_size, dtype, seed,
            dropout_state_filter_visitor,
        )


@export("compat.v1.nn.rnn_cell.ResidualWrapper")
class ResidualWrapper(_Residual, _Wrapper):
    """Adds a cell's inputs to its outputs, or joins them by `residual_fn`.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.ResidualWrapper(tf.compat.v1.nn.rnn_cell.GRUCell(3))
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     output.shape
    TensorShape([2, 3])
    """

    def __init__(self, cell, residual_fn=None):
        _Wrapper.__init__(self, cell)
        self._residual_fn = residual_fn or _sum


@export("compat.v1.nn.rnn_cell.DeviceWrapper")
class DeviceWrapper(_Device, _Wrapper):
    """Runs a cell on a device.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.DeviceWrapper(tf.compat.v1.nn.rnn_cell.GRUCell(4), "/cpu:0")
    ...     output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
    ...     output.shape
    TensorShape([2, 4])
    """

    def __init__(self, cell, device):
        _Wrapper.__init__(self, cell)
        self._device = device


# --- version 2 --------------------------------------------------------------------------------------------------------


class _ModuleWrapper(Module):
    """A cell around another that is called as Keras calls cells: `output, state = cell.call(inputs, state)`."""

    step: Callable[..., tuple[Any, Any]]

    def __init__(self, cell, options: dict, name=None):
        super().__init__(name)
        if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
            raise TypeError(
                f"cell must be a cell of a recurrent network, with `call` and `state_size`. Received: {cell!r}"
            )
        self.cell, self._options, self.built = cell, options, False

    wrapped_cell = property(lambda self: self.cell)
    state_size = property(lambda self: self.cell.state_size)
    output_size = property(lambda self: self.cell.output_size)
    compute_dtype = property(lambda self: self.cell.compute_dtype, doc="The type that a cell of Keras computes in.")
    variables = property(lambda self: list(self.cell.variables), doc="All variables of the cell.")
    weights = variables
    trainable_variables = property(lambda self: list(self.cell.trainable_variables), doc="Those that are trained.")
    trainable_weights = trainable_variables

    def build(self, inputs_shape):
        """Make the cell's variables; the shape of the inputs is known now."""
        if not getattr(self.cell, "built", False):
            self.cell.build(inputs_shape)
            self.cell.built = True
        self.built = True

    def call(self, inputs, state, **kwargs):
        """One step: outputs and the next state."""
        return self.step(functools.partial(self.cell.call, **kwargs), inputs, state)

    def __call__(self, inputs, state, **kwargs):
        if not self.built:
            self.build(inputs.shape)
        return self.call(inputs, state, **kwargs)

    zero_state = RNNCell.zero_state

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Zeros, for a batch of some size or like some inputs; of float32 unless a dtype or inputs are given."""
        return initial_state(self, inputs, batch_size, dtype or (float32 if inputs is None else None))

    def get_config(self) -> dict:
        """The arguments that make such a wrapper, the cell as its class and its own configuration."""
        return {"cell": {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}, **self._options}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The wrapper of a configuration; the cell's class is one of Keras or of `custom_objects`."""
        config = dict(config)
        described = config.pop("cell")
        name = described["class_name"]
        if name not in (custom_objects or {}):
            import keras

            made = getattr(keras.layers, name)
        else:
            made = custom_objects[name]
        return cls(made.from_config(described["config"]), **config)


@export("nn.RNNCellDropoutWrapper")
class RNNCellDropoutWrapper(_Dropout, _ModuleWrapper):
    """Drops elements of a cell's inputs, states and outputs.

    Args:
      cell: The cell.
      input_keep_prob: The probability with which an element of the inputs is kept.
      output_keep_prob: The same for the outputs.
      state_keep_prob: The same for the states.
      variational_recurrent: Whether the same places are dropped in all steps; this needs `dtype`, and `input_size` if
        inputs are dropped.
      input_size: The shape of the inputs without the batch axis, or a nest of them.
      dtype: The dtype of inputs, states and outputs.
      seed: A seed for the random numbers.
      dropout_state_filter_visitor: A function of a part of the state that says whether it is dropped.
      name: A name for the wrapper.

    Raises:
      ValueError: The cell is a `tf.keras.layers.LSTMCell`, which has arguments for dropout of its own.

    >>> cell = tf.nn.RNNCellDropoutWrapper(tf.keras.layers.GRUCell(2), input_keep_prob=0.5, seed=1)
    >>> output, state = cell(tf.ones([3, 4]), cell.zero_state(3, tf.float32))
    >>> output.shape, cell.state_size
    (TensorShape([3, 2]), 2)
    """

    def __init__(
        self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False,
        input_size=None, dtype=None, seed=None, dropout_state_filter_visitor=None, name=None,
    ):
        if type(cell).__name__ == "LSTMCell" and hasattr(cell, "recurrent_dropout"):
            raise ValueError(
                "keras LSTM cell does not work with DropoutWrapper. Please use LSTMCell(dropout=x, "
                "recurrent_dropout=y) instead."
            )
        options = {
            "input_keep_prob": input_keep_prob, "output_keep_prob": output_keep_prob,
            "state_keep_prob": state_keep_prob, "variational_recurrent": variational_recurrent,
            "input_size": input_size, "seed": seed,
        }  # fmt: skip
        _ModuleWrapper.__init__(self, cell, options, name)
        self._set(
            input_keep_prob, output_keep_prob, state_keep_prob, variational_recurrent, input_size, dtype, seed,
            dropout_state_filter_visitor,
        )


@export("nn.RNNCellResidualWrapper")
class RNNCellResidualWrapper(_Residual, _ModuleWrapper):
    """Adds a cell's inputs to its outputs.

    Args:
      cell: The cell.
      residual_fn: A function `(inputs, outputs)` that joins them, in place of the sum.
      name: A name for the wrapper.

    >>> cell = tf.nn.RNNCellResidualWrapper(tf.keras.layers.SimpleRNNCell(2, kernel_initializer="zeros"))
    >>> cell(tf.ones([1, 2]), [tf.zeros([1, 2])])[0].numpy().tolist()
    [[1.0, 1.0]]
    """

    def __init__(self, cell, residual_fn=None, name=None):
        _ModuleWrapper.__init__(self, cell, {"residual_fn": residual_fn}, name)
        self._residual_fn = residual_fn or _sum


@export("nn.RNNCellDeviceWrapper")
class RNNCellDeviceWrapper(_Device, _ModuleWrapper):
    """Runs a cell on a device.

    Args:
      cell: The cell.
      device: The name of the device.
      name: A name for the wrapper.

    >>> cell = tf.nn.RNNCellDeviceWrapper(tf.keras.layers.SimpleRNNCell(2), "/CPU:0")
    >>> cell(tf.ones([1, 2]), [tf.zeros([1, 2])])[0].device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, cell, device, name=None):
        _ModuleWrapper.__init__(self, cell, {"device": device}, name)
        self._device = device
