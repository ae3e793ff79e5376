"""Attention mechanisms over a memory, and a cell that uses one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from reflow.api.array import arrange, creation
from reflow.api.control.tensor_array import TensorArray
from reflow.api.initializers import Constant
from reflow.api.linalg import products
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.nn import activations
from reflow.compat.layers.core import Dense
from reflow.compat.name_scopes import name_scope
from reflow.compat.rnn.cells import RNNCell
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


def hardmax(logits: Any, name: str | None = None) -> Tensor:
    """A one for the largest of each row, and zeros."""
    logits = convert_to_tensor(logits)
    return creation.one_hot(reduce.argmax(logits, -1), arrange.shape(logits)[-1], dtype=logits.dtype)


class AttentionMechanism:
    """Attention: a memory [batch, time, depth], and the score of each of its places for a query.

    Args:
      num_units: the depth of queries and keys.
      memory: what is attended to, usually the outputs of an encoder.
      memory_sequence_length: the length of each row of the memory; the rest is masked.
      probability_fn: from scores to weights; by default softmax.
      score_mask_value: the score of places that are not there; by default minus infinity.
      custom_key_value_fn: from keys and values to those that are used.
      name: of the scope in which the keys are computed.
    """

    scope = "attention"  # of the variables of the scores

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any, probability_fn: Callable | None,
        score_mask_value: Any, dtype: Any, custom_key_value_fn: Callable | None, name: str,
    ) -> None:
        self._num_units, self._score_mask_value = num_units, score_mask_value
        self._probability_fn = probability_fn or activations.softmax
        self._dtype = dtypes.as_dtype(dtype or dtypes.float32)
        self._lengths = None if memory_sequence_length is None else convert_to_tensor(memory_sequence_length)
        self.memory_layer = Dense(num_units, use_bias=False, name="memory_layer", dtype=self._dtype)
        memory = convert_to_tensor(memory)
        if memory.shape.rank is not None and memory.shape[-1] is None:
            raise ValueError(
                f"Expected memory {memory.name} to have fully defined inner dims, but saw shape: {memory.shape}"
            )
        self.values = (
            memory if self._lengths is None else memory * arithmetic.cast(self._there(memory)[..., None], memory.dtype)
        )
        with name_scope(name):
            self.keys = self.memory_layer(self.values)
        if custom_key_value_fn is not None:
            self.keys, self.values = custom_key_value_fn(self.keys, self.values)
        self.batch_size = self.keys.shape[0] if self.keys.shape[0] is not None else arrange.shape(self.keys)[0]
        self.alignments_size = self.keys.shape[1] if self.keys.shape[1] is not None else arrange.shape(self.keys)[1]
        self.state_size = self.alignments_size

    def _there(self, memory: Tensor) -> Tensor:
        """Which places of the memory there are."""
        return creation.sequence_mask(self._lengths, arrange.shape(memory)[1])

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Tensor:
        """The initial weights: zeros."""
        zeros = creation.zeros(arrange.stack([batch_size, self.alignments_size]), dtype)
        zeros.set_shape([batch_size if isinstance(batch_size, int) else None, self.keys.shape[1]])
        return zeros

    initial_state = initial_alignments

    def _score(self, query: Tensor) -> Tensor:
        raise NotImplementedError("A mechanism gives a score for each place: `_score`.")

    def __call__(self, query: Tensor, state: Any) -> tuple[Tensor, Any]:
        """The weights of all places for a query, and the mechanism's next state."""
        with variable_scope(None, self.scope, [query]):
            score = self._score(query)
            if self._lengths is not None:
                least = float("-inf") if self._score_mask_value is None else self._score_mask_value
                score = arithmetic.where(self._there(self.values), score, creation.ones_like(score) * least)
            weights = self._probability_fn(score)
        return weights, weights


class LuongAttention(AttentionMechanism):
    """The score of a place is the product of query and key, with `scale` times a number that is learned."""

    scope = "luong_attention"

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, scale: bool = False,
        probability_fn: Callable | None = None, score_mask_value: Any = None, dtype: Any = None,
        custom_key_value_fn: Callable | None = None, name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            num_units, memory, memory_sequence_length, probability_fn, score_mask_value, dtype, custom_key_value_fn,
            name,
        )
        self._scale = scale

    def _score(self, query: Tensor) -> Tensor:
        if query.shape[-1] != self.keys.shape[-1]:
            raise ValueError(
                f"Incompatible or unknown inner dimensions between query and keys.  Query ({query}) has units: "
                f"{query.shape[-1]}.  Keys ({self.keys}) have units: {self.keys.shape[-1]}.  Perhaps you need to set "
                f"num_units to the keys' dimension ({self.keys.shape[-1]})?"
            )
        score = arrange.squeeze(products.matmul(query[:, None], self.keys, transpose_b=True), [1])
        if not self._scale:
            return score
        return get_variable("attention_g", [], query.dtype, initializer=Constant(1.0)) * score


class BahdanauAttention(AttentionMechanism):
    """The score of a position is learned from the sum of query and key.

    `normalize` learns the norm of the weights separately.
    """

    scope = "bahdanau_attention"

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Any = None, normalize: bool = False,
        probability_fn: Callable | None = None, score_mask_value: Any = None, dtype: Any = None,
        custom_key_value_fn: Callable | None = None, name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            num_units, memory, memory_sequence_length, probability_fn, score_mask_value, dtype, custom_key_value_fn,
            name,
        )
        self.query_layer = Dense(num_units, use_bias=False, name="query_layer", dtype=self._dtype)
        self._normalize = normalize

    def _score(self, query: Tensor) -> Tensor:
        both = self.keys + self.query_layer(query)[:, None]
        weights = get_variable("attention_v", [self._num_units], query.dtype)
        if self._normalize:
            length = get_variable("attention_g", [], query.dtype, initializer=Constant((1.0 / self._num_units) ** 0.5))
            both = both + get_variable("attention_b", [self._num_units], query.dtype, initializer=Constant(0.0))
            weights = length * weights * unary.rsqrt(reduce.reduce_sum(unary.square(weights)))
        return reduce.reduce_sum(weights * unary.tanh(both), [2])


class AttentionWrapperState(NamedTuple):
    """The state of an `AttentionWrapper`."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **changes: Any) -> AttentionWrapperState:
        """The same state with other parts, such as the `cell_state` of an encoder."""
        return self._replace(**changes)


class AttentionWrapper(RNNCell):
    """A cell that reads its input together with the last attention, and attends to a memory with its output.

    Args:
      cell: an `RNNCell`.
      attention_mechanism: one, or a list of several, whose attentions are joined.
      attention_layer_size: the size of the attention, a layer over output and context; None: the context itself. A list
        for several.
      alignment_history: whether the weights of all steps are kept in the state, as a TensorArray.
      cell_input_fn: from inputs and attention to the cell's inputs; by default they are joined.
      output_attention: whether the output is the attention; else the cell's own.
      initial_cell_state: the state that `zero_state` has in place of zeros.
      attention_layer: a layer, or a list of them, in place of `attention_layer_size`.
    """

    def __init__(
        self, cell: Any, attention_mechanism: Any, attention_layer_size: Any = None, alignment_history: bool = False,
        cell_input_fn: Callable | None = None, output_attention: bool = True, initial_cell_state: Any = None,
        name: str | None = None, attention_layer: Any = None,
    ) -> None:
        super().__init__(name=name)
        self._several = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = _list(attention_mechanism)
        for mechanism in self._mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be an AttentionMechanism or list of multiple AttentionMechanism "
                    f"instances, saw type: {type(mechanism).__name__}"
                )
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        sizes = [None] * len(self._mechanisms) if attention_layer_size is None else _list(attention_layer_size)
        own = [None if s is None else Dense(s, name="attention_layer", use_bias=False) for s in sizes]
        self._layers = own if attention_layer is None else _list(attention_layer)
        if len(self._layers) != len(self._mechanisms):
            raise ValueError(
                "If provided, attention_layer_size must contain exactly one integer per attention_mechanism, saw: "
                f"{len(self._layers)} vs {len(self._mechanisms)}"
            )
        self._cell, self._history, self._output_attention = cell, alignment_history, output_attention
        self._join = cell_input_fn or (lambda inputs, attention: arrange.concat([inputs, attention], -1))
        self._initial_cell_state = initial_cell_state
        self._attention_size = sum(
            m.values.shape[-1] if layer is None else layer.units
            for m, layer in zip(self._mechanisms, self._layers, strict=True)
        )

    @property
    def output_size(self) -> Any:  # type: ignore[override]
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:  # type: ignore[override]
        sizes = self._packed([m.alignments_size for m in self._mechanisms])
        history = self._packed([m.alignments_size if self._history else () for m in self._mechanisms])
        return AttentionWrapperState(
            self._cell.state_size, self._attention_size, TensorShape([]), sizes, history, sizes
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state before the first step: attention and weights of zeros; the given state of the cell, or zeros."""
        cell_state = (
            self._cell.zero_state(batch_size, dtype) if self._initial_cell_state is None else self._initial_cell_state
        )
        weights = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]
        history = [
            TensorArray(dtype, 0, dynamic_size=True, element_shape=w.shape) if self._history else () for w in weights
        ]
        attention = creation.zeros(arrange.stack([batch_size, self._attention_size]), dtype)
        attention.set_shape([batch_size if isinstance(batch_size, int) else None, self._attention_size])
        states = self._packed([m.initial_state(batch_size, dtype) for m in self._mechanisms])
        return AttentionWrapperState(
            cell_state, attention, constant(0), self._packed(weights), self._packed(history), states
        )

    def _packed(self, things: list[Any]) -> Any:
        """One thing for each mechanism: a tuple if there may be several."""
        return tuple(things) if self._several else things[0]

    def call(self, inputs: Any, state: Any) -> tuple[Any, AttentionWrapperState]:
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                f"Expected state to be instance of AttentionWrapperState. Received type {type(state)} instead."
            )
        output, cell_state = self._cell(self._join(inputs, state.attention), state.cell_state)
        parts = [state.attention_state, state.alignment_history]
        before, history = parts if self._several else [[p] for p in parts]
        attentions, weights, after, kept = [], [], [], []
        for mechanism, layer, own, past in zip(self._mechanisms, self._layers, before, history, strict=True):
            alignments, following = mechanism(output, state=own)
            context = arrange.squeeze(products.matmul(alignments[:, None], mechanism.values), [1])
            attentions.append(context if layer is None else layer(arrange.concat([output, context], 1)))
            weights.append(alignments)
            after.append(following)
            kept.append(past.write(state.time, alignments) if self._history else ())
        attention = arrange.concat(attentions, 1)
        pack = self._packed
        new = AttentionWrapperState(cell_state, attention, state.time + 1, pack(weights), pack(kept), pack(after))
        return attention if self._output_attention else output, new


def _list(one_or_more: Any) -> list[Any]:
    return list(one_or_more) if isinstance(one_or_more, (list, tuple)) else [one_or_more]
