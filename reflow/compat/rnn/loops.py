"""Recurrent networks over sequences: `dynamic_rnn` is a loop, `static_rnn` adds nodes for each step."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, blocks, creation
from reflow.api.control.tensor_array import TensorArray
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic, unary
from reflow.api.math.reduce import reduce_all
from reflow.compat.variable_scopes import variable_scope
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.function.control_flow import while_loop
from reflow.ops.convert import constant, convert_to_tensor


def turned(tensor: Tensor) -> Tensor:
    """Exchange the first two dimensions."""
    return arrange.transpose(tensor, [1, 0, *range(2, len(tensor.shape))])


def kept_where(ended: Tensor, old: Any, new: Any) -> Any:
    """Keeps the old value in rows whose sequence has ended; scalars and TensorArrays have no rows."""
    if isinstance(new, TensorArray) or new.shape.rank == 0:
        return new
    chosen = arithmetic.where(_rows(ended, new), old, new)
    chosen.set_shape(new.shape)
    return chosen


def _kept(ended, old, new):
    return nest.map_structure(lambda a, b: kept_where(ended, a, b), old, new)


def _first_state(cell, initial_state, batch, dtype, sample):
    if initial_state is not None:
        return initial_state
    if dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    return cell.zero_state(batch, dtype)


@export("compat.v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell, inputs, sequence_length=None, initial_state=None, dtype=None, parallel_iterations=None, swap_memory=False,
    time_major=False, scope=None,
):
    """Run a cell over sequences [batch, time, ...]; returns all outputs and the last state.

    Args:
      cell: an `RNNCell`.
      inputs: the sequences; [time, batch, ...] if `time_major`.
      sequence_length: the length of each; beyond it outputs are zero and the state stays.
      initial_state: the first state; zeros of `dtype` if it is left out.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.BasicRNNCell(4)
    ...     outputs, state = tf.compat.v1.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
    ...     outputs.shape.as_list(), state.shape.as_list()
    ([2, 5, 4], [2, 4])
    """
    with variable_scope(scope or "rnn"):
        inputs = nest.map_structure(convert_to_tensor, inputs)
        if not time_major:
            inputs = nest.map_structure(turned, inputs)
        first = nest.flatten(inputs)[0]
        steps = first.shape[0] if first.shape[0] is not None else arrange.shape(first)[0]
        batch = first.shape[1] if first.shape[1] is not None else arrange.shape(first)[1]
        state = _first_state(cell, initial_state, batch, dtype, first)
        lengths = None
        if sequence_length is not None:
            lengths = arithmetic.cast(convert_to_tensor(sequence_length), dtypes.int32)
            if lengths.shape.rank not in (None, 1):
                raise ValueError(
                    f"sequence_length must be a vector of length batch_size, but saw shape: {lengths.shape}"
                )
        outputs, state = _loop(cell, inputs, state, steps, batch, lengths, dtype)
        if not time_major:
            outputs = nest.map_structure(turned, outputs)
        return outputs, state


def _loop(cell, inputs, state, steps, batch, lengths, dtype):
    kind = nest.flatten(state)[0].dtype if dtype is None else dtypes.as_dtype(dtype)
    count = convert_to_tensor(steps, dtypes.int32)
    reading = nest.map_structure(lambda x: TensorArray(x.dtype, count, element_shape=x.shape[1:]).unstack(x), inputs)
    sizes = nest.flatten(cell.output_size)
    shapes = [with_batch(batch, s) for s in sizes]
    writing = [TensorArray(kind, count, element_shape=s) for s in shapes]

    def body(time, arrays, state):
        now = nest.map_structure(lambda array: array.read(time), reading)
        output, new = cell(now, state)
        if lengths is not None:
            ended = arithmetic.greater_equal(time, lengths)
            output = _kept(ended, nest.map_structure(creation.zeros_like, output), output)
            new = _kept(ended, state, new)
        arrays = [a.write(time, o) for a, o in zip(arrays, nest.flatten(output), strict=True)]
        return time + 1, arrays, new

    _, arrays, state = while_loop(lambda time, *_: arithmetic.less(time, count), body, (constant(0), writing, state))
    outputs = [a.stack() for a in arrays]
    known = steps if isinstance(steps, int) else None
    for output, shape in zip(outputs, shapes, strict=True):
        output.set_shape(TensorShape([known]).concatenate(shape))
    return nest.pack_sequence_as(cell.output_size, outputs), state


def _dims(size):
    return TensorShape([size]) if isinstance(size, int) else TensorShape(size)


def with_batch(batch: Any, size: Any) -> TensorShape:
    """The shape of a cell's output for a batch, whose size may be a tensor."""
    return TensorShape([batch if isinstance(batch, int) else None]).concatenate(_dims(size))


@export("compat.v1.nn.static_rnn")
def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Run a cell over a list of inputs, one for each step; returns the list of outputs and the last state.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.GRUCell(4)
    ...     outputs, state = tf.compat.v1.nn.static_rnn(cell, [tf.zeros([2, 3])] * 5, dtype=tf.float32)
    ...     len(outputs), state.shape
    (5, TensorShape([2, 4]))
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(
            "inputs must not be empty" if isinstance(inputs, (list, tuple)) else "inputs must be a sequence"
        )
    with variable_scope(scope or "rnn"):
        steps = [nest.map_structure(convert_to_tensor, x) for x in inputs]
        first = nest.flatten(steps[0])[0]
        batch = first.shape[0] if first.shape[0] is not None else arrange.shape(first)[0]
        state = _first_state(cell, initial_state, batch, dtype, first)
        lengths = None if sequence_length is None else arithmetic.cast(convert_to_tensor(sequence_length), dtypes.int32)
        outputs = []
        for time, now in enumerate(steps):
            output, new = cell(now, state)
            if lengths is not None:
                ended = arithmetic.greater_equal(constant(time), lengths)
                output = _kept(ended, nest.map_structure(creation.zeros_like, output), output)
                new = _kept(ended, state, new)
            outputs.append(output)
            state = new
        return outputs, state


@export("compat.v1.nn.static_state_saving_rnn")
def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None, scope=None):
    """`static_rnn` over a part of longer sequences: the state comes from a state saver, and goes back to it.

    >>> class Saver:
    ...     def __init__(self, value):
    ...         self.value = tf.compat.v1.Variable(value, trainable=False)
    ...     def state(self, name):
    ...         return self.value
    ...     def save_state(self, name, value):
    ...         return self.value.assign(value)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     cell = tf.compat.v1.nn.rnn_cell.GRUCell(4)
    ...     outputs, state = tf.compat.v1.nn.static_state_saving_rnn(
    ...         cell, [tf.zeros([2, 3])] * 5, Saver(tf.zeros([2, 4])), "state")
    ...     len(outputs), state.shape
    (5, TensorShape([2, 4]))

    Args:
      cell: an `RNNCell`.
      inputs: a list, one for each step.
      state_saver: an object with `state(name)` and `save_state(name, value)`, the latter an operation. The last output
        waits for it.
      state_name: the name of the state; a tuple of names, one for each part, if the cell's state is a structure.
      sequence_length: the length of each sequence.

    Returns:
      The list of outputs, and the last state.
    """
    names = nest.flatten(state_name) if isinstance(state_name, (list, tuple)) else [state_name]
    parts = nest.flatten(cell.state_size)
    if len(names) != len(parts):
        raise ValueError(f"#elems(state_name) != #elems(state_size): {len(names)} vs. {len(parts)}")
    first = nest.pack_sequence_as(cell.state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, first, sequence_length=sequence_length, scope=scope)
    saves = [state_saver.save_state(name, part) for name, part in zip(names, nest.flatten(state), strict=True)]
    with control_dependencies(saves):
        outputs[-1] = nest.map_structure(arrange.identity, outputs[-1])
    return outputs, state


def _reversed(inputs, lengths, time, batch):
    if lengths is None:
        return nest.map_structure(lambda x: arrange.reverse(x, [time]), inputs)
    return nest.map_structure(lambda x: blocks.reverse_sequence(x, lengths, time, batch), inputs)


@export("compat.v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None, initial_state_bw=None, dtype=None,
    parallel_iterations=None, swap_memory=False, time_major=False, scope=None,
):
    """Run one cell forwards and another backwards; returns the pair of outputs and the pair of last states.

    >>> with tf.Graph().as_default():
    ...     forwards, backwards = tf.compat.v1.nn.rnn_cell.GRUCell(4), tf.compat.v1.nn.rnn_cell.GRUCell(4)
    ...     outputs, states = tf.compat.v1.nn.bidirectional_dynamic_rnn(
    ...         forwards, backwards, tf.zeros([2, 5, 3]), dtype=tf.float32)
    ...     tf.concat(outputs, 2).shape
    TensorShape([2, 5, 8])
    """
    time, batch = (0, 1) if time_major else (1, 0)
    with variable_scope(scope or "bidirectional_rnn"):
        inputs = nest.map_structure(convert_to_tensor, inputs)
        with variable_scope("fw") as forward:
            first = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype, time_major=time_major, scope=forward
            )
        with variable_scope("bw") as backward:
            backwards = _reversed(inputs, sequence_length, time, batch)
            output, state = dynamic_rnn(
                cell_bw, backwards, sequence_length, initial_state_bw, dtype, time_major=time_major, scope=backward
            )
        output = _reversed(output, sequence_length, time, batch)
    return (first[0], output), (first[1], state)


@export("compat.v1.nn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None, sequence_length=None, scope=None
):
    """Run one cell forwards and another backwards over a list; returns joined outputs and both last states.

    >>> with tf.Graph().as_default():
    ...     forwards, backwards = tf.compat.v1.nn.rnn_cell.GRUCell(4), tf.compat.v1.nn.rnn_cell.GRUCell(4)
    ...     outputs, first, last = tf.compat.v1.nn.static_bidirectional_rnn(
    ...         forwards, backwards, [tf.zeros([2, 3])] * 5, dtype=tf.float32)
    ...     len(outputs), outputs[0].shape
    (5, TensorShape([2, 8]))
    """
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            ahead, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=forward)
        with variable_scope("bw") as backward:
            turned = _turned(inputs, sequence_length)
            back, state_bw = static_rnn(cell_bw, turned, initial_state_bw, dtype, sequence_length, scope=backward)
        back = _turned(back, sequence_length)
    return [arrange.concat([a, b], 1) for a, b in zip(ahead, back, strict=True)], state_fw, state_bw


def _turned(steps, lengths) -> list:
    if lengths is None:
        return list(reversed(steps))
    turned = blocks.reverse_sequence(arrange.stack([convert_to_tensor(s) for s in steps]), lengths, 0, 1)
    return arrange.unstack(turned)


@export("compat.v1.nn.raw_rnn")
def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """Run a cell in a loop that a function controls.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     cell = tf.compat.v1.nn.rnn_cell.GRUCell(4)
    ...     def loop(time, output, state, kept):
    ...         state = cell.zero_state(2, tf.float32) if output is None else state
    ...         return time >= [2, 2], tf.zeros([2, 3]), state, output, None
    ...     outputs, state, _ = tf.compat.v1.nn.raw_rnn(cell, loop)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(outputs.stack()).shape
    (2, 2, 4)

    Args:
      cell: an `RNNCell`.
      loop_fn: `loop_fn(time, output, state, loop_state)` returns
        `(finished, next_input, next_state, emit, loop_state)`. The first call gets None for output, state and loop
        state; its `emit` says what an output looks like.

    Returns:
      A TensorArray of what was emitted, the last state, and the last loop state.
    """
    with variable_scope(scope or "rnn"):
        time = constant(0)
        finished, now, state, emit, extra = loop_fn(time, None, None, None)
        example = emit if emit is not None else nest.map_structure(_dims, cell.output_size)
        kind = nest.flatten(state)[0].dtype
        flat = [TensorArray(getattr(e, "dtype", kind), 0, dynamic_size=True) for e in nest.flatten(example)]
        has_extra = extra is not None
        extra = constant(0) if extra is None else extra

        def body(time, finished, now, arrays, state, extra):
            output, new = cell(now, state)
            after = time + 1
            done, following, chosen, emitted, later = loop_fn(after, output, new, extra if has_extra else None)
            emitted = nest.flatten(output if emitted is None else emitted)
            state_kept = _kept(finished, state, chosen)
            blank = [arithmetic.where(_rows(finished, e), creation.zeros_like(e), e) for e in emitted]
            arrays = [a.write(time, e) for a, e in zip(arrays, blank, strict=True)]
            following = _kept(finished, now, following)
            later = later if has_extra and later is not None else extra
            return after, arithmetic.logical_or(finished, done), following, arrays, state_kept, later

        _, _, _, arrays, state, extra = while_loop(
            lambda time, finished, *_: unary.logical_not(reduce_all(finished)),
            body,
            (time, finished, now, flat, state, extra),
        )
        shape = cell.output_size if emit is None else emit
        packed = nest.pack_sequence_as(shape, arrays) if nest.is_nested(shape) else arrays[0]
        return packed, state, extra if has_extra else None


def _rows(finished, value):
    return arrange.reshape(finished, [-1] + [1] * (value.shape.rank - 1)) if value.shape.rank else finished
