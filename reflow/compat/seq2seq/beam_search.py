"""Beam search: follows several of the best sequences at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

from reflow.api.array import arrange, creation, indexing, sorting
from reflow.api.control.tensor_array import TensorArray
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.nn import activations
from reflow.compat.seq2seq.decoders import Decoder, Step
from reflow.compat.seq2seq.helpers import lookup_of, tokens
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.function.control_flow import cond, while_loop
from reflow.ops.convert import convert_to_tensor


class BeamSearchDecoderState(NamedTuple):
    """What is known of the beams [batch, beam]: the cell's state, log probabilities, which are over, lengths,
    attention so far."""

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """A step [batch, beam]: scores, ids, and which beams they continue."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """The sequences of all beams, the best first, and what the steps gave."""

    predicted_ids: Any
    beam_search_decoder_output: Any


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Each row repeated `multiplier` times: [batch, ...] becomes [batch · multiplier, ...]. `t` may be a structure."""

    def tiled(x: Any) -> Tensor:
        x = convert_to_tensor(x)
        if x.shape.rank is None:
            raise ValueError("t must have statically known rank")
        return creation.repeat(x, multiplier, 0)

    return nest.map_structure(tiled, t)


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: str | None = None
) -> Tensor:
    """Complete sequences [time, batch, beam], from the ids of each step and the beams that they extend.

    What comes behind the first `end_token` of a sequence, and behind the longest of its batch entry, is `end_token`.
    """
    ids, parents = convert_to_tensor(step_ids), arithmetic.cast(convert_to_tensor(parent_ids), dtypes.int32)
    end = arithmetic.cast(convert_to_tensor(end_token), ids.dtype)
    longest = arithmetic.cast(convert_to_tensor(max_sequence_lengths), dtypes.int32)
    steps, rows, beams = [arrange.shape(ids)[i] for i in range(3)]
    found = TensorArray(ids.dtype, steps, element_shape=ids.shape[1:])
    own = arrange.tile(creation.range(beams)[None], arrange.stack([rows, 1]))

    def back(time, beam, found):
        there = arithmetic.less(time, longest)[:, None]
        here = indexing.gather(ids[time], beam, batch_dims=1)
        found = found.write(time, arithmetic.where(there, here, creation.zeros_like(here) + end))
        return time - 1, arithmetic.where(there, indexing.gather(parents[time], beam, batch_dims=1), beam), found

    _, _, found = while_loop(lambda time, *_: arithmetic.greater_equal(time, 0), back, (steps - 1, own, found))
    sequences = found.stack()
    ended = reduce.cumsum(arithmetic.cast(arithmetic.equal(sequences, end), dtypes.int32), 0, exclusive=True)
    sequences = arithmetic.where(arithmetic.greater(ended, 0), creation.zeros_like(sequences) + end, sequences)
    sequences.set_shape(ids.shape)
    return sequences


class BeamSearchDecoder(Decoder):
    """Follows the best `beam_width` sequences of each batch entry.

    Args:
      cell: an `RNNCell`. A memory that it looks at must have been through `tile_batch`.
      embedding: a function from ids to vectors, or a table of vectors.
      start_tokens: the ids with which the sequences begin, one for each batch entry.
      end_token: the id with which one ends.
      initial_state: the cell's first state, of `tile_batch`.
      beam_width: how many sequences are followed.
      output_layer: a layer from the cell's outputs to the logits of ids.
      length_penalty_weight: 0 scores by log probability, 1 about by its mean over the ids.
      coverage_penalty_weight: how much is lost by leaving out parts of the memory; needs an `AttentionWrapper`.
      reorder_tensor_arrays: whether TensorArrays in the state, such as a history of weights, follow the sequences in
        the end.
    """

    tracks_own_finished = True

    def __init__(
        self, cell: Any, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any, beam_width: int,
        output_layer: Any = None, length_penalty_weight: float = 0.0, coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        self._cell, self._output_layer, self._beams = cell, output_layer, beam_width
        self._lookup = lookup_of(embedding)
        self._start, self._end = tokens(start_tokens, end_token)
        self.batch_size = arrange.size(self._start)
        self._length_weight, self._coverage_weight, self._reorder = (
            length_penalty_weight, coverage_penalty_weight, reorder_tensor_arrays
        )
        self._cell_state = nest.map_structure(self._apart, initial_state)
        self._first = self._lookup(arrange.tile(self._start[:, None], [1, beam_width]))

    @property
    def output_size(self) -> BeamSearchDecoderOutput:  # type: ignore[override]
        each = TensorShape([self._beams])
        return BeamSearchDecoderOutput(each, each, each)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:  # type: ignore[override]
        kind = nest.flatten(self._cell_state)[0].dtype
        return BeamSearchDecoderOutput(kind, dtypes.int32, dtypes.int32)

    # --- [batch · beam, ...] and [batch, beam, ...]

    def _apart(self, x: Any) -> Any:
        """Beams as a separate dimension. TensorArrays and scalars stay unchanged."""
        if isinstance(x, TensorArray) or len(x.shape) == 0:
            return x
        return self._reshaped(x, [self.batch_size, self._beams], [None, self._beams], 1)

    def _together(self, x: Any) -> Any:
        """The opposite of `_apart`."""
        if isinstance(x, TensorArray) or len(x.shape) == 0:
            return x
        return self._reshaped(x, [self.batch_size * self._beams], [None], 2)

    @staticmethod
    def _reshaped(x: Tensor, front: list[Any], known: list[Any], taken: int) -> Tensor:
        made = arrange.reshape(x, arrange.concat([arrange.stack(front), arrange.shape(x)[taken:]], 0))
        made.set_shape(TensorShape(known).concatenate(x.shape[taken:]))
        return made

    # --- decoding

    def initialize(self, name: str | None = None) -> tuple[Tensor, Any, Any]:
        first_only = creation.zeros([self.batch_size], dtypes.int32)
        finished = creation.one_hot(first_only, self._beams, False, True, dtype=dtypes.bool_)
        kind = nest.flatten(self._cell_state)[0].dtype
        probabilities = creation.one_hot(first_only, self._beams, 0.0, float("-inf"), dtype=kind)
        lengths = creation.zeros([self.batch_size, self._beams], dtypes.int64)
        seen: Any = ()
        if self._coverage_weight != 0.0:
            if not hasattr(self._cell_state, "alignments"):
                raise ValueError("A coverage penalty needs the alignments of an AttentionWrapper.")
            seen = creation.zeros_like(self._cell_state.alignments)
        return finished, self._first, BeamSearchDecoderState(self._cell_state, probabilities, finished, lengths, seen)

    def step(self, time: Tensor, inputs: Any, state: Any, name: str | None = None) -> Step:
        merged = nest.map_structure(self._together, state.cell_state)
        outputs, cell_state = self._cell(nest.map_structure(self._together, inputs), merged)
        logits = self._apart(outputs if self._output_layer is None else self._output_layer(outputs))
        result, new = self._chosen(logits, nest.map_structure(self._apart, cell_state), state)
        ids = result.predicted_ids
        following = cond(reduce.reduce_all(new.finished), lambda: self._first, lambda: self._lookup(ids))
        return result, new, following, new.finished

    def _chosen(
        self, logits: Tensor, cell_state: Any, state: BeamSearchDecoderState
    ) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
        """The best continuations of all beams."""
        words = logits.shape[-1] if logits.shape[-1] is not None else arrange.shape(logits)[-1]
        over = state.finished[..., None]
        is_end = arithmetic.equal(creation.range(words), self._end)
        only_end = arithmetic.where(is_end, creation.zeros_like(logits), creation.zeros_like(logits) + logits.dtype.min)
        totals = state.log_probs[..., None] + arithmetic.where(over, only_end, activations.log_softmax(logits))
        longer = arithmetic.logical_and(unary.logical_not(over), unary.logical_not(is_end))
        lengths = state.lengths[..., None] + arithmetic.cast(longer, dtypes.int64)
        seen = state.accumulated_attention_probs
        if self._coverage_weight != 0.0:
            seen = seen + arithmetic.where(over, creation.zeros_like(seen), cell_state.alignments)
        scores = self._scores(totals, lengths, seen)
        flat = [arrange.reshape(x, arrange.stack([self.batch_size, self._beams * words])) for x in (scores, totals)]
        best, places = sorting.top_k(flat[0], self._beams)
        best.set_shape([None, self._beams])
        ids, beams = arithmetic.floormod(places, words), arithmetic.floordiv(places, words)
        take = lambda x: self._taken(x, beams)  # noqa: E731
        was_over = take(state.finished)
        finished = arithmetic.logical_or(was_over, arithmetic.equal(ids, self._end))
        new = BeamSearchDecoderState(
            nest.map_structure(take, cell_state), indexing.gather(flat[1], places, batch_dims=1), finished,
            take(state.lengths) + arithmetic.cast(unary.logical_not(was_over), dtypes.int64),
            nest.map_structure(take, seen),
        )
        return BeamSearchDecoderOutput(best, ids, beams), new

    def _taken(self, x: Any, beams: Tensor) -> Any:
        """The parts of a state that belong to some beams. TensorArrays and scalars belong to all of them."""
        if isinstance(x, TensorArray) or len(x.shape) < 2:
            return x
        return indexing.gather(x, beams, batch_dims=1)

    def _scores(self, totals: Tensor, lengths: Tensor, seen: Any) -> Tensor:
        scores = totals
        if self._length_weight != 0.0:
            scores = totals / ((5.0 + arithmetic.cast(lengths, totals.dtype)) / 6.0) ** self._length_weight
        if self._coverage_weight != 0.0:
            covered = reduce.reduce_sum(unary.log(arithmetic.minimum(seen, 1.0)), -1)
            scores = scores + (self._coverage_weight * covered)[..., None]
        return scores

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Tensor) -> tuple[Any, Any]:
        longest = arithmetic.cast(reduce.reduce_max(final_state.lengths, 1), dtypes.int32)
        sequences = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end)
        if self._reorder:
            follow = lambda x: self._followed(x, outputs.parent_ids, final_state.lengths)  # noqa: E731
            final_state = final_state._replace(cell_state=nest.map_structure(follow, final_state.cell_state))
        return FinalBeamSearchDecoderOutput(sequences, outputs), final_state

    def _followed(self, x: Any, parents: Tensor, lengths: Tensor) -> Any:
        """A TensorArray of the steps [batch · beam, ...] as a tensor [time, batch · beam,
        ...] in the order of the sequences."""
        if not isinstance(x, TensorArray):
            return x
        steps = x.stack()
        time = arrange.shape(parents)[0]
        own = creation.zeros_like(parents) + creation.range(self._beams)
        longest = arithmetic.cast(reduce.reduce_max(lengths, 1), dtypes.int32)
        beams = gather_tree(own, parents, longest, self._beams + 1)
        there = arrange.transpose(creation.sequence_mask(lengths, time), [2, 0, 1])
        beams = arithmetic.where(there, beams, own)
        apart = arrange.reshape(
            steps, arrange.concat([arrange.stack([time, self.batch_size, self._beams]), arrange.shape(steps)[2:]], 0)
        )
        return arrange.reshape(indexing.gather(apart, beams, batch_dims=2), arrange.shape(steps))
