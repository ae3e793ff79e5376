"""`tf.contrib.seq2seq`: decoders against a plain recurrent network, attention by hand,
and a beam search against all sequences there are."""

import itertools

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1, seq2seq = tf.compat.v1, contrib.seq2seq
cells = v1.nn.rnn_cell


def _values(*tensors):
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return session.run(list(tensors))


@pytest.fixture(autouse=True)
def _in_a_graph():
    with tf.Graph().as_default():
        v1.set_random_seed(1)
        yield


def test_a_decoder_in_training_is_a_recurrent_network():
    cell, inputs, lengths = cells.GRUCell(3), np.random.RandomState(0).rand(2, 4, 2).astype(np.float32), [4, 2]
    expected, last = v1.nn.dynamic_rnn(cell, inputs, lengths, dtype=tf.float32)
    decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(inputs, lengths), cell.zero_state(2, tf.float32))
    outputs, state, found = seq2seq.dynamic_decode(decoder, impute_finished=True)
    values = _values(expected, outputs.rnn_output, last, state, outputs.sample_id, found)
    np.testing.assert_allclose(values[1], values[0], rtol=1e-6)
    np.testing.assert_allclose(values[3], values[2], rtol=1e-6)
    assert values[4].tolist() == np.where(np.arange(4) < [[4], [2]], values[0].argmax(-1), 0).tolist()
    assert values[5].tolist() == lengths


class _Follows(cells.RNNCell):
    """After the word i comes word i + 1, by logits; the state counts."""

    state_size, output_size = 1, 5

    def call(self, inputs, state):
        return tf.roll(inputs, 1, axis=1), state + 1.0


def test_greedy_decoding_ends_at_the_end_token_or_at_the_limit():
    helper = seq2seq.GreedyEmbeddingHelper(np.eye(5, dtype=np.float32), [0, 2, 4], 4)
    decoder = seq2seq.BasicDecoder(_Follows(), helper, tf.zeros([3, 1]))
    outputs, state, lengths = seq2seq.dynamic_decode(decoder, impute_finished=True)
    limited, _, few = seq2seq.dynamic_decode(decoder, maximum_iterations=2, output_time_major=True)
    ids, count, found, short, two = _values(outputs.sample_id, state, lengths, limited.sample_id, few)
    assert ids.tolist() == [[1, 2, 3, 4, 0], [3, 4, 0, 0, 0], [0, 1, 2, 3, 4]] and found.tolist() == [4, 2, 5]
    assert count[:, 0].tolist() == [4, 2, 5]
    assert short.tolist() == [[1, 3, 0], [2, 4, 1]] and two.tolist() == [2, 2, 2]


@pytest.mark.parametrize("kind", ["LuongAttention", "BahdanauAttention"])
def test_attention_looks_at_what_there_is_of_the_memory(kind):
    memory = np.random.RandomState(1).rand(2, 3, 4).astype(np.float32)
    mechanism = getattr(seq2seq, kind)(4, memory, memory_sequence_length=[3, 1])
    cell = seq2seq.AttentionWrapper(cells.BasicRNNCell(4), mechanism, attention_layer_size=6, alignment_history=True)
    helper = seq2seq.TrainingHelper(np.ones([2, 5, 2], np.float32), [5, 5])
    outputs, state, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32)))
    output, history, weights = _values(outputs.rnn_output, state.alignment_history.stack(), state.alignments)
    assert output.shape == (2, 5, 6) and history.shape == (5, 2, 3)
    np.testing.assert_allclose(history.sum(-1), 1.0, rtol=1e-6)
    assert (history[:, 1] == [1.0, 0.0, 0.0]).all() and (weights == history[-1]).all()
    names = {v.name.split(":")[0] for v in v1.trainable_variables()}
    wrapper = "decoder/attention_wrapper/"
    expected = {
        "memory_layer/kernel", wrapper + "basic_rnn_cell/kernel", wrapper + "basic_rnn_cell/bias",
        wrapper + "attention_layer/kernel",
    }
    own = {f"{wrapper}bahdanau_attention/{n}" for n in ("query_layer/kernel", "attention_v")}
    assert names == expected | (own if kind == "BahdanauAttention" else set())


class _Table(cells.RNNCell):
    """Logits of a word from the word before."""

    state_size, output_size = 1, 4

    def __init__(self, logits):
        super().__init__()
        self._logits = logits

    def call(self, inputs, state):
        return inputs @ self._logits, state


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_a_wide_beam_finds_the_best_of_all_sequences(weight):
    logits, end, steps = np.random.RandomState(2).randn(4, 4).astype(np.float32) * 2, 3, 3
    decoder = seq2seq.BeamSearchDecoder(
        _Table(logits), np.eye(4, dtype=np.float32), [0, 1], end, seq2seq.tile_batch(tf.zeros([2, 1]), 16), 16,
        length_penalty_weight=weight,
    )
    outputs, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
    ids, scores = _values(outputs.predicted_ids, outputs.beam_search_decoder_output.scores)
    chances = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    for row, start in enumerate([0, 1]):
        best = {}
        for words in itertools.product(range(4), repeat=steps):
            length = words.index(end) + 1 if end in words else steps
            path = (start, *words[:length])
            total = sum(chances[a, b] for a, b in itertools.pairwise(path))
            # an end token counts from the next step on
            counted = length - (words[:length][-1] == end and length == steps)
            best[words[:length] + (end,) * (steps - length)] = total / ((5 + counted) / 6) ** weight
        first = max(best, key=best.get)
        assert tuple(ids[row, :, 0].tolist()) == first
        np.testing.assert_allclose(scores[row, -1, 0], best[first], rtol=1e-4)


def test_sequences_are_gathered_from_the_beams_that_they_continue():
    ids = np.array([[[1, 2, 3], [4, 5, 6], [7, 8, 9], [-1, -1, -1]]]).transpose(1, 0, 2)
    parents = np.array([[[0, 0, 0], [0, 1, 1], [2, 1, 2], [-1, -1, -1]]]).transpose(1, 0, 2)
    (sequences,) = _values(seq2seq.gather_tree(ids, parents, [3], 10))
    assert sequences[:, 0].tolist() == [[2, 2, 2], [6, 5, 6], [7, 8, 9], [10, 10, 10]]


def test_drawn_inputs_take_the_place_of_given_ones():
    inputs, table = np.zeros([3, 4, 2], np.float32), np.full([5, 2], 7.0, np.float32)
    for probability, first in ((0.0, -1), (1.0, 0)):
        helper = seq2seq.ScheduledEmbeddingTrainingHelper(inputs, [4, 4, 4], table, probability)
        ids = helper.sample(tf.constant(0), tf.one_hot([0, 0, 0], 5, 90.0), ())
        finished, following, _ = helper.next_inputs(tf.constant(0), None, (), ids)
        found, read, over = _values(ids, following, finished)
        assert found.tolist() == [first] * 3 and (read == (7.0 if first == 0 else 0.0)).all() and not over.any()


class _Saver:
    """Keeps the states of parts of a cell in variables."""

    def __init__(self, **states):
        self.kept = {name: v1.get_variable(name, initializer=value, trainable=False) for name, value in states.items()}

    def state(self, name):
        return self.kept[name].read_value()

    def save_state(self, name, value):
        return v1.assign(self.kept[name], value).op


def test_a_saved_state_goes_on_in_the_next_run():
    cell = cells.BasicRNNCell(2)
    steps = [tf.ones([1, 3])] * 4
    expected = v1.nn.static_rnn(cell, steps, dtype=tf.float32)[0][-1]
    outputs, _ = v1.nn.static_state_saving_rnn(cell, steps[:2], _Saver(h=np.zeros([1, 2], np.float32)), "h")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(outputs[-1])
        np.testing.assert_allclose(session.run(outputs[-1]), session.run(expected), rtol=1e-6)
