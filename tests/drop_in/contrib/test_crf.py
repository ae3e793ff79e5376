"""Conditional random fields, against all sequences one by one."""

import itertools

import numpy as np

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1




def test_likelihoods_and_best_sequences_are_those_of_all_sequences():
    rng = np.random.RandomState(0)
    unary, transitions = rng.randn(3, 4, 2).astype("f"), rng.randn(2, 2).astype("f")
    lengths, tags = np.array([4, 2, 1], np.int32), rng.randint(0, 2, (3, 4)).astype(np.int32)

    def score(row, sequence):
        return sum(unary[row, t, k] for t, k in enumerate(sequence)) + sum(
            transitions[a, b] for a, b in itertools.pairwise(sequence)
        )

    likelihood, _ = contrib.crf.crf_log_likelihood(tf.constant(unary), tags, lengths, tf.constant(transitions))
    found, best = contrib.crf.crf_decode(tf.constant(unary), tf.constant(transitions), lengths)
    for row, length in enumerate(lengths):
        every = list(itertools.product(range(2), repeat=length))
        scores = np.array([score(row, s) for s in every])
        np.testing.assert_allclose(
            likelihood[row], score(row, tags[row, :length]) - np.log(np.exp(scores).sum()), rtol=1e-4
        )
        assert tuple(found[row, :length].numpy()) == every[scores.argmax()] and not found[row, length:].numpy().any()
        np.testing.assert_allclose(best[row], scores.max(), rtol=1e-5)
        sequence, value = contrib.crf.viterbi_decode(unary[row, :length], transitions)
        assert tuple(sequence) == every[scores.argmax()]
        np.testing.assert_allclose(value, scores.max(), rtol=1e-5)


def test_transitions_are_a_new_variable():
    with tf.Graph().as_default():
        _, transitions = contrib.crf.crf_log_likelihood(
            tf.zeros([1, 2, 3]), tf.zeros([1, 2], tf.int32), tf.constant([2])
        )
        assert transitions.name == "transitions:0" and transitions.shape == [3, 3]
        (gradient,) = v1.gradients(_, [transitions])
        assert gradient is not None
