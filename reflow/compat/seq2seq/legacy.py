"""`tf.contrib.legacy_seq2seq`: decoders over lists of inputs, one per step, and their losses."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.array import arrange
from reflow.api.math import arithmetic, reduce
from reflow.api.nn import losses as nn_losses
from reflow.compat.rnn.loops import static_rnn
from reflow.compat.variable_scopes import get_variable_scope, variable_scope
from reflow.core import dtypes
from reflow.core.tensor import Tensor


def rnn_decoder(
    decoder_inputs: Sequence[Any], initial_state: Any, cell: Any, loop_function: Callable | None = None,
    scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """Run a cell over a list of inputs; returns the list of outputs and the last state.

    With a `loop_function` every input but the first is `loop_function(last output, number of the step)`.
    """
    with variable_scope(scope or "rnn_decoder"):
        state = initial_state
        outputs: list[Tensor] = []
        for i, now in enumerate(decoder_inputs):
            if loop_function is not None and outputs:
                with variable_scope("loop_function", reuse=True):
                    now = loop_function(outputs[-1], i)
            if i > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(now, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Sequence[Any], decoder_inputs: Sequence[Any], cell: Any, dtype: Any = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """Read one list of inputs with a copy of the cell, and decode another from its last state."""
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any], decoder_inputs: Sequence[Any], cell: Any, loop_function: Callable | None = None,
    dtype: Any = dtypes.float32, scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """Read one list of inputs and decode another with the same cell and weights."""
    with variable_scope("combined_tied_rnn_seq2seq"):
        inside = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=inside)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, inside)


def sequence_loss_by_example(
    logits: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any], average_across_timesteps: bool = True,
    softmax_loss_function: Callable | None = None, name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of each sequence, from lists of logits [batch, classes], targets, weights [batch]."""
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(
            f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}."
        )
    entropy = (
        nn_losses.sparse_softmax_cross_entropy_with_logits if softmax_loss_function is None else softmax_loss_function
    )
    total = arithmetic.add_n([
        entropy(labels=arrange.reshape(t, [-1]), logits=logit) * w
        for logit, t, w in zip(logits, targets, weights, strict=True)
    ])
    return total / (arithmetic.add_n(list(weights)) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any], average_across_timesteps: bool = True,
    average_across_batch: bool = True, softmax_loss_function: Callable | None = None, name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of all sequences, summed or averaged over the batch."""
    cost = reduce.reduce_sum(
        sequence_loss_by_example(logits, targets, weights, average_across_timesteps, softmax_loss_function)
    )
    return cost / arithmetic.cast(arrange.shape(targets[0])[0], cost.dtype) if average_across_batch else cost
