"""The pair of seeds of a random op."""

import reflow as tf
from reflow.drop_in.python.framework import random_seed


def test_seeds():
    tf.random.set_seed(7)
    assert random_seed.get_seed(3) == (7, 3) and random_seed.DEFAULT_GRAPH_SEED == 87654321
