"""Helpers: they choose a decoder's next input from its output, and decide when a sequence is finished."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.control.tensor_array import TensorArray
from reflow.api.math import arithmetic, reduce
from reflow.api.nn import embeddings
from reflow.api.random import sampling
from reflow.compat.rnn.loops import turned
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.function.control_flow import cond
from reflow.ops.convert import convert_to_tensor

#: (whether each sequence is over, the inputs of the next step)
Next = tuple[Tensor, Any]


def tokens(start_tokens: Any, end_token: Any) -> tuple[Tensor, Tensor]:
    """The ids with which sequences begin, and the one with which they end."""
    start, end = (arithmetic.cast(convert_to_tensor(ids), dtypes.int32) for ids in (start_tokens, end_token))
    if start.shape.rank != 1:
        raise ValueError("start_tokens must be a vector")
    if end.shape.rank != 0:
        raise ValueError("end_token must be a scalar")
    return start, end


def lookup_of(embedding: Any) -> Callable[[Tensor], Tensor]:
    """A function from ids to vectors: the one given, or the rows of a table."""
    return embedding if callable(embedding) else lambda ids: embeddings.embedding_lookup(embedding, ids)


def _nothing_finished(batch_size: Any) -> Tensor:
    return creation.fill([batch_size], False)


class Helper:
    """The interface of helpers: `initialize`, `sample` and `next_inputs`."""

    #: how many sequences there are
    batch_size: Any
    sample_ids_shape = TensorShape([])
    sample_ids_dtype = dtypes.int32

    def initialize(self, name: str | None = None) -> Next:
        """What is over at the beginning, and the first inputs."""
        raise NotImplementedError("A helper says how it begins: `initialize`.")

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Tensor:
        """Ids that are chosen by the outputs of a step: by default the likeliest."""
        return reduce.argmax(outputs, axis=-1, output_type=dtypes.int32)

    def next_inputs(
        self, time: Tensor, outputs: Any, state: Any, sample_ids: Tensor, name: str | None = None
    ) -> tuple[Tensor, Any, Any]:
        """Which sequences are finished, the inputs of the next step, and its initial state."""
        raise NotImplementedError("A helper says how it goes on: `next_inputs`.")


class CustomHelper(Helper):
    """A helper defined by three functions."""

    def __init__(
        self, initialize_fn: Callable, sample_fn: Callable, next_inputs_fn: Callable, sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize, self._sample, self._next = initialize_fn, sample_fn, next_inputs_fn
        self._batch_size: Any = None
        self.sample_ids_shape = TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self) -> Any:  # type: ignore[override]
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    def initialize(self, name: str | None = None) -> Next:
        finished, inputs = self._initialize()
        if self._batch_size is None:
            self._batch_size = arrange.size(finished)
        return finished, inputs

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Tensor:
        return self._sample(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Tensor, outputs: Any, state: Any, sample_ids: Tensor, name: str | None = None
    ) -> tuple[Tensor, Any, Any]:
        return self._next(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(Helper):
    """Teacher forcing: feeds the true inputs, whatever the decoder's outputs are.

    Args:
      inputs: sequences [batch, time, ...], or [time, batch, ...] if `time_major`; perhaps several in a structure.
      sequence_length: the length of each sequence.
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None) -> None:
        self.sequence_length = arithmetic.cast(convert_to_tensor(sequence_length), dtypes.int32)
        if self.sequence_length.shape.rank != 1:
            raise ValueError(
                f"Expected sequence_length to be a vector, but received shape: {self.sequence_length.shape}"
            )
        self.inputs = nest.map_structure(convert_to_tensor, inputs)
        self._steps = self.inputs if time_major else nest.map_structure(turned, self.inputs)
        self._arrays = nest.map_structure(_array_of, self._steps)
        self._blank = nest.map_structure(lambda x: creation.zeros_like(x[0]), self._steps)
        self.batch_size = arrange.size(self.sequence_length)

    def initialize(self, name: str | None = None) -> Next:
        return self._at(0)

    def next_inputs(
        self, time: Tensor, outputs: Any, state: Any, sample_ids: Tensor, name: str | None = None
    ) -> tuple[Tensor, Any, Any]:
        return (*self._at(time + 1), state)

    def _at(self, time: Any) -> Next:
        """Which sequences are over before a step, and its inputs: zeros when all are."""
        finished = arithmetic.less_equal(self.sequence_length, time)
        read = lambda: nest.map_structure(lambda array: array.read(time), self._arrays)  # noqa: E731
        return finished, cond(reduce.reduce_all(finished), lambda: self._blank, read)


def _array_of(steps: Tensor) -> Any:
    """Steps as elements of a TensorArray."""
    return TensorArray(steps.dtype, arrange.shape(steps)[0], element_shape=steps.shape[1:]).unstack(steps)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Reads what belongs there, or with `sampling_probability` the vector of an id drawn from the outputs.

    Ids of -1 were not drawn.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, embedding: Any, sampling_probability: Any, time_major: bool = False,
        seed: Any = None, scheduling_seed: Any = None, name: str | None = None,
    ) -> None:
        super().__init__(inputs, sequence_length, time_major, name)
        self._embedding = lookup_of(embedding)
        self._probability = _probability(sampling_probability)
        self._seed, self._scheduling_seed = seed, scheduling_seed

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Tensor:
        drawn = _drawn(outputs, self._seed)
        chosen = _chosen(self._probability, self.batch_size, self._scheduling_seed)
        return arithmetic.where(chosen, drawn, creation.fill([self.batch_size], -1))

    def next_inputs(
        self, time: Tensor, outputs: Any, state: Any, sample_ids: Tensor, name: str | None = None
    ) -> tuple[Tensor, Any, Any]:
        finished, inputs, state = super().next_inputs(time, outputs, state, sample_ids)
        was_drawn = arithmetic.greater(sample_ids, -1)
        vectors = self._embedding(arithmetic.where(was_drawn, sample_ids, creation.zeros_like(sample_ids)))
        return finished, arithmetic.where(_column(was_drawn, inputs), vectors, inputs), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Reads what belongs there, or with `sampling_probability` the last output: through `next_inputs_fn` if there is
    one, with the `auxiliary_inputs` behind it."""

    def __init__(
        self, inputs: Any, sequence_length: Any, sampling_probability: Any, time_major: bool = False, seed: Any = None,
        next_inputs_fn: Callable | None = None, auxiliary_inputs: Any = None, name: str | None = None,
    ) -> None:
        joined = inputs if auxiliary_inputs is None else arrange.concat([inputs, auxiliary_inputs], -1)
        super().__init__(joined, sequence_length, time_major, name)
        self._more = None if auxiliary_inputs is None else TrainingHelper(auxiliary_inputs, sequence_length, time_major)
        self._probability, self._seed, self._make = _probability(sampling_probability), seed, next_inputs_fn

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Tensor:
        return arithmetic.cast(_chosen(self._probability, self.batch_size, self._seed), dtypes.int32)

    def next_inputs(
        self, time: Tensor, outputs: Any, state: Any, sample_ids: Tensor, name: str | None = None
    ) -> tuple[Tensor, Any, Any]:
        finished, inputs, state = super().next_inputs(time, outputs, state, sample_ids)
        own = outputs if self._make is None else self._make(outputs)
        if self._more is not None:
            own = arrange.concat([own, self._more._at(time + 1)[1]], -1)
        return finished, arithmetic.where(_column(arithmetic.greater(sample_ids, 0), inputs), own, inputs), state


class GreedyEmbeddingHelper(Helper):
    """Reads the vector of the likeliest id of the last step.

    Args:
      embedding: a function from ids to vectors, or a table of vectors.
      start_tokens: the ids with which the sequences begin.
      end_token: the id with which one ends.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding = lookup_of(embedding)
        self._start, self._end = tokens(start_tokens, end_token)
        self.batch_size = arrange.size(self._start)
        self._first = self._embedding(self._start)

    def initialize(self, name: str | None = None) -> Next:
        return _nothing_finished(self.batch_size), self._first

    def next_inputs(
        self, time: Tensor, outputs: Any, state: Any, sample_ids: Tensor, name: str | None = None
    ) -> tuple[Tensor, Any, Any]:
        finished = arithmetic.equal(sample_ids, self._end)
        inputs = cond(reduce.reduce_all(finished), lambda: self._first, lambda: self._embedding(sample_ids))
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Reads the vector of an id that is drawn from the outputs of the last step."""

    def __init__(
        self, embedding: Any, start_tokens: Any, end_token: Any, softmax_temperature: Any = None, seed: Any = None
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Tensor:
        return _drawn(outputs if self._temperature is None else outputs / self._temperature, self._seed)


class InferenceHelper(Helper):
    """Reads what a function draws from the outputs.

    Args:
      sample_fn: from outputs to a sample.
      sample_shape, sample_dtype: what one sample of a sequence looks like.
      start_inputs: the first inputs.
      end_fn: from samples to whether their sequences are over.
      next_inputs_fn: from samples to the next inputs; by default they are these.
    """

    def __init__(
        self, sample_fn: Callable, sample_shape: Any, sample_dtype: Any, start_inputs: Any, end_fn: Callable,
        next_inputs_fn: Callable | None = None,
    ) -> None:
        self._sample, self._end, self._next = sample_fn, end_fn, next_inputs_fn
        self.sample_ids_shape, self.sample_ids_dtype = TensorShape(sample_shape), dtypes.as_dtype(sample_dtype)
        self._start = convert_to_tensor(start_inputs)
        self.batch_size = arrange.shape(self._start)[0]

    def initialize(self, name: str | None = None) -> Next:
        return _nothing_finished(self.batch_size), self._start

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Tensor:
        return self._sample(outputs)

    def next_inputs(
        self, time: Tensor, outputs: Any, state: Any, sample_ids: Tensor, name: str | None = None
    ) -> tuple[Tensor, Any, Any]:
        inputs = sample_ids if self._next is None else self._next(sample_ids)
        return self._end(sample_ids), inputs, state


def _drawn(logits: Tensor, seed: Any) -> Tensor:
    """An id for each row, drawn by its logits."""
    return arrange.squeeze(sampling.categorical(logits, 1, dtypes.int32, seed), [1])


def _probability(value: Any) -> Tensor:
    probability = convert_to_tensor(value, dtypes.float32)
    if probability.shape.rank not in (0, 1):
        raise ValueError(f"sampling_probability must be either a scalar or a vector. saw shape: {probability.shape}")
    return probability


def _chosen(probability: Tensor, batch_size: Any, seed: Any) -> Tensor:
    """True for each sequence with some probability."""
    return arithmetic.less(sampling.uniform([batch_size], seed=seed), probability)


def _column(flags: Tensor, values: Tensor) -> Tensor:
    """Flags of rows, in the rank of what they choose among."""
    return arrange.reshape(flags, [-1] + [1] * (len(values.shape) - 1))
