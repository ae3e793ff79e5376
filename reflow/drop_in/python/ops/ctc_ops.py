"""`tensorflow.python.ops.ctc_ops`: labels as sparse tensors, the loss of dense ones, the ends of paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.control import functional
from reflow.api.math import arithmetic, logic, reduce, unary
from reflow.api.nn.activations import log_softmax
from reflow.api.nn.ctc import ctc_loss
from reflow.core import dtypes, nest
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor

#: stands for log(0)
_LOG_0 = float(np.log(1e-307))


def dense_labels_to_sparse(dense: Any, length: Any) -> SparseTensor:
    """The first `length` labels of each row as a sparse tensor of int32; its second size is the longest length."""
    dense = convert_to_tensor(dense)
    mask = creation.sequence_mask(length, arrange.shape(dense)[1])
    shape = arrange.stack(
        [arrange.shape(dense, dtypes.int64)[0], arithmetic.cast(reduce.reduce_max(length), dtypes.int64)]
    )
    places = arithmetic.where(mask)
    return SparseTensor(places, arithmetic.cast(indexing.boolean_mask(dense, mask), dtypes.int32), shape)


def ctc_loss_dense(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True, unique: Any = None,
    blank_index: int = 0, name: str | None = None,
) -> Any:  # fmt: skip
    """The CTC loss of labels in a dense matrix."""
    return ctc_loss(labels, logits, label_length, logit_length, logits_time_major, unique, blank_index, name)


def ctc_state_log_probs(seq_lengths: Any, max_seq_length: int) -> tuple[Any, Any]:
    """(first, last): the logarithms of the chances that a path begins, and may end, in each state.

    States are blanks and labels in pairs.
    """
    lengths = convert_to_tensor(seq_lengths)
    batch, states = arrange.shape(lengths)[0], max_seq_length + 1
    first = creation.one_hot(creation.zeros([batch], dtypes.int32), 2 * states, 0.0, _LOG_0, 1)
    last = (1.0 - creation.one_hot(lengths, states)) * _LOG_0
    return first, arrange.tile(last, [1, 2])


def _scan(
    fn: Any, elems: Any, initial: Any, reverse: bool = False, inclusive: bool = False, final_only: bool = False
) -> Any:
    """The states that `fn(state, element)` leads through from `initial`;
    that one too if `inclusive`, and the last alone if `final_only`."""
    first = nest.map_structure(convert_to_tensor, initial)
    states = functional.scan(fn, elems, first, reverse=reverse)
    if final_only:
        return nest.map_structure(lambda s: s[0 if reverse else -1], states)
    if not inclusive:
        return states
    return nest.map_structure(lambda s, f: arrange.concat([s, f[None]] if reverse else [f[None], s], 0), states, first)


def _sum_states(idx: Any, states: Any) -> Any:
    """The logarithms of the chances of each distinct label: `idx` says which one each of the labels is."""
    places = creation.one_hot(idx, arrange.shape(states)[2], 0.0, unary.log(0.0), 1)
    return reduce.reduce_logsumexp(states[:, :, None] + places, -1)


def _state_to_olabel(labels: Any, num_labels: int, states: Any) -> Any:
    """The logarithms of the chances of each label in each frame, from those of the states of a path."""
    count = arrange.shape(labels)[1] + 1
    blanks = reduce.reduce_logsumexp(states[:, :, count:], 2, keepdims=True)
    which = creation.one_hot(labels - 1, num_labels - 1, 0.0, unary.log(0.0))
    return arrange.concat([blanks, reduce.reduce_logsumexp(states[:, :, 1:count, None] + which[None], 2)], -1)


def _state_to_olabel_unique(labels: Any, num_labels: int, states: Any, unique: tuple) -> Any:
    """As `_state_to_olabel`, where `unique` is the distinct labels of each sequence, and which one each label is."""
    count = arrange.shape(labels)[1] + 1
    distinct, which = unique
    sums = arrange.transpose(_sum_states(which, states[:, :, 1:count]), [1, 2, 0])
    batch, frames = arrange.shape(sums)[0], arrange.shape(sums)[2]
    rows = distinct + (creation.range(batch, dtype=distinct.dtype) * num_labels)[:, None]
    places, sums = arrange.reshape(rows, [-1, 1]), arrange.reshape(sums, [-1, frames])
    absent = creation.fill([batch * num_labels, frames], unary.log(0.0))
    summed = indexing.tensor_scatter_nd_add(
        indexing.tensor_scatter_nd_update(absent, places, creation.zeros_like(sums)), places, sums
    )
    found = arrange.transpose(arrange.reshape(summed, [batch, num_labels, frames]), [2, 0, 1])
    blanks = reduce.reduce_logsumexp(states[:, :, count:], 2, keepdims=True)
    return arrange.concat([blanks, found[:, :, 1:]], -1)


def _ilabel_to_state(labels: Any, num_labels: int, ilabel_log_probs: Any) -> Any:
    """The logarithms of the chances of each state in each frame, from those of the labels: the first state is none,
    the last are blanks."""
    count = arrange.shape(labels)[1] + 1
    chosen = reduce.reduce_sum(ilabel_log_probs[:, :, None] * creation.one_hot(labels, num_labels)[None], 3)
    blanks = arrange.tile(ilabel_log_probs[:, :, :1], [1, 1, count])
    both = arrange.concat([chosen, blanks], 2)
    return arrange.pad(both, [[0, 0], [0, 0], [1, 0]], constant_values=unary.log(0.0))


def _ctc_state_trans(label_seq: Any) -> Any:
    """[batch, states, states]: 1 where a path may come to a state (row) from one (column).

    It may stay, go to the next label or from a label to the blank behind it, and to the next label directly if that is
    another one.
    """
    labels = convert_to_tensor(label_seq)
    batch, length = arrange.shape(labels)[0], arrange.shape(labels)[1]
    label = creation.range(length + 1)
    blank = label + length + 1
    steps = arrange.concat(
        [arrange.stack([label[1:], blank[:-1]], 1), arrange.stack([blank, label], 1), [[1, 0]]], 0
    )
    states = 2 * (length + 1)
    ways = indexing.scatter_nd(steps, creation.ones([arrange.shape(steps)[0]]), [states, states])
    jumps = indexing.scatter_nd(
        arrange.stack([label[2:], label[1:-1]], 1),
        arrange.transpose(arithmetic.cast(logic.not_equal(labels[:, :-1], labels[:, 1:]), dtypes.float32)),
        arrange.stack([states, states, batch]),
    )
    return (ways + creation.eye(states))[None] + arrange.transpose(jumps, [2, 0, 1])


def _forward_backward_log(
    state_trans_log_probs: Any, initial_state_log_probs: Any, final_state_log_probs: Any, observed_log_probs: Any,
    sequence_length: Any,
) -> tuple[Any, Any]:
    """(the logarithms of the chances of each state in each frame, that of each whole sequence).

    Raises:
        ValueError: the transitions are no matrix, nor one for each sequence.
    """
    rank = state_trans_log_probs.shape.rank
    if rank not in (2, 3):
        raise ValueError(
            "Rank of argument `state_trans_log_probs` must be known and equal to 2 or 3. Received "
            f"state_trans_log_probs={state_trans_log_probs} of rank {rank}"
        )
    back = arrange.transpose(state_trans_log_probs, [1, 0] if rank == 2 else [0, 2, 1])

    def step(ways: Any, here: Any) -> tuple[Any, Any]:
        """The states after one step, as shares of one, and the logarithm of what they were shares of."""
        there = reduce.reduce_logsumexp(here[:, None] + ways, -1)
        total = reduce.reduce_logsumexp(there, -1, keepdims=True)
        return there, total

    def forward(state: Any, seen: Any) -> Any:
        there = step(state_trans_log_probs, state)[0] + seen
        return there - reduce.reduce_logsumexp(there, -1, keepdims=True)

    def backward(behind: tuple, element: tuple) -> tuple:
        (state, total), (seen, inside) = behind, element
        there, sum_of_step = step(back, state + seen)
        share = inside[:, None]
        return (there - sum_of_step) * share + final_state_log_probs * (1.0 - share), total + sum_of_step[:, 0] * inside

    frames = arrange.shape(observed_log_probs)[0]
    mask = arrange.transpose(creation.sequence_mask(sequence_length, frames, dtypes.float32))
    forwards = _scan(forward, observed_log_probs, initial_state_log_probs, inclusive=True)
    nothing = creation.zeros([arrange.shape(observed_log_probs)[1]])
    backwards, totals = _scan(
        backward, (observed_log_probs, mask), (final_state_log_probs, nothing), reverse=True, inclusive=True
    )
    both = forwards[1:] + backwards[1:]
    both = both - reduce.reduce_logsumexp(both, 2, keepdims=True) + unary.log(mask[:, :, None])
    return both, backwards[0, :, 0] + totals[0]


def ctc_loss_and_grad(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, unique: tuple | None = None
) -> tuple[Any, Any]:
    """(the CTC loss of each sequence, its gradient for the logits)."""
    count = logits.shape[2]
    chances = log_softmax(logits)
    first, last = ctc_state_log_probs(label_length, arrange.shape(labels)[1])
    states, likelihood = _forward_backward_log(
        unary.log(_ctc_state_trans(labels)), first, last, _ilabel_to_state(labels, count, chances), logit_length
    )
    wanted = (
        _state_to_olabel_unique(labels, count, states, unique) if unique else _state_to_olabel(labels, count, states)
    )
    mask = arrange.transpose(creation.sequence_mask(logit_length, arrange.shape(logits)[0], dtypes.float32))
    return -likelihood, (unary.exp(chances) - unary.exp(wanted)) * mask[:, :, None]
