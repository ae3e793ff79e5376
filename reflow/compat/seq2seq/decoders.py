"""Decoders, and the loop that runs one: `dynamic_decode`."""

from __future__ import annotations

from typing import Any, NamedTuple

from reflow.api.array import arrange, creation
from reflow.api.control.tensor_array import TensorArray
from reflow.api.math import arithmetic, reduce, unary
from reflow.compat.rnn.loops import kept_where, turned, with_batch
from reflow.compat.seq2seq.helpers import Helper
from reflow.compat.variable_scopes import variable_scope
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.function.control_flow import while_loop
from reflow.ops.convert import constant, convert_to_tensor

#: outputs, next state, next inputs, and which sequences are over
Step = tuple[Any, Any, Any, Tensor]


class BasicDecoderOutput(NamedTuple):
    """What a step gives: the cell's output and the chosen ids."""

    rnn_output: Any
    sample_id: Any


class Decoder:
    """The interface of decoders.

    A subclass has `batch_size`, and structures `output_size` and `output_dtype` of what a step gives; `initialize`,
    `step`, and perhaps `finalize`.
    """

    batch_size: Any
    output_size: Any
    output_dtype: Any
    #: whether a finished sequence may continue: in a beam search, where sequences change places
    tracks_own_finished = False

    def initialize(self, name: str | None = None) -> tuple[Tensor, Any, Any]:
        """What is over, the first inputs, the first state."""
        raise NotImplementedError("A decoder says how it begins: `initialize`.")

    def step(self, time: Tensor, inputs: Any, state: Any, name: str | None = None) -> Step:
        """One step of decoding."""
        raise NotImplementedError("A decoder says what a step is: `step`.")

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Tensor) -> tuple[Any, Any]:
        """The outputs of all steps and the final state, as they are returned."""
        return outputs, final_state


def size_behind(layer: Any, size: Any) -> Any:
    """The size of a cell's outputs after a layer, if there is one."""
    if layer is None:
        return size
    units = getattr(layer, "units", None)
    if units is not None:
        return nest.map_structure(lambda _: TensorShape([units]), size)
    return nest.map_structure(lambda s: TensorShape(layer.compute_output_shape(TensorShape([1, s]))[1:]), size)


class BasicDecoder(Decoder):
    """Runs a cell on the inputs that a helper provides.

    Args:
      cell: an `RNNCell`.
      helper: what says which input follows on which output.
      initial_state: the cell's first state.
      output_layer: a layer for the cell's outputs, such as a projection to the words of a vocabulary.
    """

    def __init__(self, cell: Any, helper: Helper, initial_state: Any, output_layer: Any = None) -> None:
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell, self._helper, self._initial_state, self._output_layer = cell, helper, initial_state, output_layer

    batch_size = property(lambda self: self._helper.batch_size)  # type: ignore[assignment]

    @property
    def output_size(self) -> BasicDecoderOutput:  # type: ignore[override]
        return BasicDecoderOutput(
            size_behind(self._output_layer, self._cell.output_size), self._helper.sample_ids_shape
        )

    @property
    def output_dtype(self) -> BasicDecoderOutput:  # type: ignore[override]
        kind = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: kind, self._cell.output_size), self._helper.sample_ids_dtype
        )

    def initialize(self, name: str | None = None) -> tuple[Tensor, Any, Any]:
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Tensor, inputs: Any, state: Any, name: str | None = None) -> Step:
        outputs, state = self._cell(inputs, state)
        if self._output_layer is not None:
            outputs = self._output_layer(outputs)
        ids = self._helper.sample(time=time, outputs=outputs, state=state)
        finished, following, state = self._helper.next_inputs(time=time, outputs=outputs, state=state, sample_ids=ids)
        return BasicDecoderOutput(outputs, ids), state, following, finished


def dynamic_decode(
    decoder: Decoder, output_time_major: bool = False, impute_finished: bool = False, maximum_iterations: Any = None,
    parallel_iterations: int = 32, swap_memory: bool = False, scope: Any = None,
) -> tuple[Any, Any, Tensor]:
    """Run a decoder until all sequences are over, or for a number of steps.

    Args:
      decoder: a `Decoder`.
      output_time_major: whether outputs are [time, batch, ...] and not [batch, time, ...].
      impute_finished: whether the outputs of a sequence that is over are zero, and its state stays; costs a little.
      maximum_iterations: the maximum number of steps.
      parallel_iterations, swap_memory: how TensorFlow runs loops; here they change nothing.

    Returns:
      The outputs of all steps, the last state, and the lengths of the sequences.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder"):
        finished, inputs, state = decoder.initialize()
        blank = nest.map_structure(
            lambda s, kind: _zeros(decoder.batch_size, s, kind), decoder.output_size, decoder.output_dtype
        )
        arrays = nest.map_structure(lambda b: TensorArray(b.dtype, 0, dynamic_size=True, element_shape=b.shape), blank)
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, dtypes.int32)
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
            finished = arithmetic.logical_or(finished, arithmetic.less_equal(maximum_iterations, 0))

        def body(time, arrays, state, inputs, finished, lengths):
            outputs, following, further, ended = decoder.step(time, inputs, state)
            after = ended if decoder.tracks_own_finished else arithmetic.logical_or(ended, finished)
            if maximum_iterations is not None:
                after = arithmetic.logical_or(after, arithmetic.greater_equal(time + 1, maximum_iterations))
            lengths = arithmetic.where(finished, lengths, creation.fill(arrange.shape(lengths), time + 1))
            nest.assert_same_structure(state, following)
            if impute_finished:
                outputs = nest.map_structure(lambda b, o: kept_where(finished, b, o), blank, outputs)
                following = nest.map_structure(lambda a, b: _state_kept(finished, a, b), state, following)
            arrays = nest.map_structure(lambda array, o: array.write(time, o), arrays, outputs)
            return time + 1, arrays, following, further, after, lengths

        lengths = creation.zeros_like(finished, dtypes.int32)
        _, arrays, state, _, _, lengths = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: unary.logical_not(reduce.reduce_all(finished)),
            body, (constant(0), arrays, state, inputs, finished, lengths), parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
        )
        outputs, state = decoder.finalize(nest.map_structure(lambda array: array.stack(), arrays), state, lengths)
        return outputs if output_time_major else nest.map_structure(turned, outputs), state, lengths


def _zeros(batch_size: Any, size: Any, dtype: Any) -> Tensor:
    """A step's output of zeros."""
    known = with_batch(batch_size, size)
    zeros = creation.zeros(
        arrange.concat([[batch_size], convert_to_tensor(known[1:].as_list(), dtypes.int32)], 0), dtype
    )
    zeros.set_shape(known)
    return zeros


def _state_kept(finished: Tensor, old: Any, new: Any) -> Any:
    """A part of the state: the old one in rows whose sequence is over.

    TensorArrays and scalars belong to all of them.
    """
    if isinstance(new, TensorArray) or len(new.shape) == 0:
        return new
    return kept_where(finished, old, new)
