"""`tf.contrib.crf`: linear-chain conditional random fields.

A sequence of tags scores the sum of what the model says of each tag (*unary*, [batch, time, tags]) and of each pair of
neighbours (*transitions*, [tags, tags]). Its likelihood is that score against those of all sequences, which a scan over
time adds up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.array.indexing import gather, gather_nd
from reflow.api.control.functional import scan
from reflow.api.math import arithmetic, reduce
from reflow.compat.variable_scopes import get_variable
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


def _masks(lengths: Any, inputs: Any) -> Any:
    return creation.sequence_mask(lengths, arrange.shape(inputs)[1], inputs.dtype)


def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """What the model says of each tag of a sequence, summed."""
    each = reduce.reduce_sum(creation.one_hot(tag_indices, arrange.shape(inputs)[2], dtype=inputs.dtype) * inputs, 2)
    return reduce.reduce_sum(each * _masks(sequence_lengths, inputs), 1)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """The scores of all pairs of neighbours, summed."""
    tags, transitions = convert_to_tensor(tag_indices), convert_to_tensor(transition_params)
    pairs = gather_nd(transitions, arrange.stack([tags[:, :-1], tags[:, 1:]], -1))
    mask = creation.sequence_mask(sequence_lengths, arrange.shape(tags)[1], transitions.dtype)
    return reduce.reduce_sum(pairs * mask[:, 1:], 1)


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """The score of each sequence of tags; an empty one scores 0."""
    inputs, transitions = convert_to_tensor(inputs), convert_to_tensor(transition_params)
    total = crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
        tag_indices, sequence_lengths, transitions
    )
    return arithmetic.where(arithmetic.less_equal(sequence_lengths, 0), creation.zeros_like(total), total)


def crf_log_norm(inputs, sequence_lengths, transition_params):
    """The logarithm of the sum of the exponentials of the scores of all sequences."""
    inputs, transitions = convert_to_tensor(inputs), convert_to_tensor(transition_params)
    mask = arrange.transpose(_masks(sequence_lengths, inputs))

    def step(alpha, given):
        unary, present = given
        new = unary + reduce.reduce_logsumexp(arrange.expand_dims(alpha, 2) + transitions, 1)
        present = arrange.expand_dims(present, 1)
        return present * new + (1.0 - present) * alpha

    over_time = arrange.transpose(inputs, [1, 0, 2])
    alphas = scan(step, (over_time[1:], mask[1:]), over_time[0])
    last = arrange.concat([arrange.expand_dims(over_time[0], 0), alphas], 0)[-1]
    norm = reduce.reduce_logsumexp(last, 1)
    return arithmetic.where(arithmetic.less_equal(sequence_lengths, 0), creation.zeros_like(norm), norm)


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """The log-likelihood of sequences of tags, and the transitions: those given, or a new variable `transitions`."""
    inputs = convert_to_tensor(inputs)
    if transition_params is None:
        tags = inputs.shape[2]
        transition_params = get_variable("transitions", [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def viterbi_decode(score, transition_params) -> tuple[list[int], Any]:
    """The best sequence of tags for arrays of NumPy ([time, tags]), and its score."""
    trellis = np.zeros_like(score)
    backpointers = np.zeros_like(score, dtype=np.int32)
    trellis[0] = score[0]
    for t in range(1, score.shape[0]):
        before = np.expand_dims(trellis[t - 1], 1) + transition_params
        trellis[t] = score[t] + np.max(before, 0)
        backpointers[t] = np.argmax(before, 0)
    best = [int(np.argmax(trellis[-1]))]
    for pointers in reversed(backpointers[1:]):
        best.append(int(pointers[best[-1]]))
    return best[::-1], np.max(trellis[-1])


def crf_decode(potentials, transition_params, sequence_length):
    """The best sequences of tags, and their scores; places behind the end of a sequence hold 0."""
    potentials, transitions = convert_to_tensor(potentials), convert_to_tensor(transition_params)
    lengths = convert_to_tensor(sequence_length)
    steps = arrange.transpose(potentials, [1, 0, 2])
    mask = arrange.transpose(_masks(lengths, potentials))
    tags = arithmetic.cast(arrange.shape(potentials)[2], dtypes.int32)
    itself = arrange.tile(
        arrange.expand_dims(creation.range(tags), 0), arrange.stack([arrange.shape(potentials)[0], 1])
    )

    def forward(state, given):
        best, _ = state
        unary, present = given
        before = arrange.expand_dims(best, 2) + transitions
        present = arrange.expand_dims(present, 1)
        new = present * (unary + reduce.reduce_max(before, 1)) + (1.0 - present) * best
        pointers = arithmetic.cast(reduce.argmax(before, 1), dtypes.int32)
        return new, arithmetic.where(arithmetic.greater(present + creation.zeros_like(new), 0.0), pointers, itself)

    best, pointers = scan(forward, (steps[1:], mask[1:]), (steps[0], itself))
    last = arrange.concat([arrange.expand_dims(steps[0], 0), best], 0)[-1]
    final = arithmetic.cast(reduce.argmax(last, 1), dtypes.int32)
    path = scan(lambda tag, back: gather(back, tag, batch_dims=1), pointers, final, reverse=True)
    whole = arrange.transpose(arrange.concat([path, arrange.expand_dims(final, 0)], 0))
    return whole * arithmetic.cast(arrange.transpose(mask), dtypes.int32), reduce.reduce_max(last, 1)


