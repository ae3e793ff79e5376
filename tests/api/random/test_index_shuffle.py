"""`reflow/api/random/index_shuffle.py`: TensorFlow's places, and that they are permutations."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)

shuffle = tf.random.experimental.index_shuffle


def test_the_places_of_tensorflow():
    assert shuffle(tf.range(4), [5, 9], 3).numpy().tolist() == [2, 0, 1, 3]
    assert shuffle(tf.range(10), [5, 8], 9).numpy().tolist() == [3, 8, 0, 1, 2, 7, 6, 9, 4, 5]
    assert shuffle(tf.range(10), [1, 2], 70000).numpy().tolist() == [
        66456, 11713, 37902, 5407, 20180, 39576, 46186, 2725, 10731, 53001
    ]


@pytest.mark.parametrize("max_index", [0, 1, 16, 99])
def test_a_permutation(max_index):
    places = tf.function(lambda i: shuffle(i, [3, 4], max_index))(tf.range(max_index + 1, dtype=tf.int64))
    assert sorted(places.numpy().tolist()) == list(range(max_index + 1)) and places.dtype == tf.int64


def test_one_seed_or_limit_for_each():
    each = shuffle(tf.constant([2, 2]), [[5, 9], [5, 8]], [3, 9]).numpy().tolist()
    assert each == [1, 0] and shuffle(2, [5, 9], 3).shape == ()


def test_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match="range"):
        shuffle(5, [5, 9], 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rounds"):
        tf.raw_ops.RandomIndexShuffle(index=1, seed=[1, 2, 3], max_index=3, rounds=5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="seed must have shape"):
        tf.raw_ops.RandomIndexShuffle(index=1, seed=[1, 2], max_index=3)
