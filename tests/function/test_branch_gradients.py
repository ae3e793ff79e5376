"""Gradients of branches that look up rows: slices as long as no branch has a dense one,
of one shape in all branches."""

import numpy as np
import pytest

import reflow as tf

ROWS = {
    "none": lambda x: tf.constant(0.0),
    "fewer": lambda x: 3.0 * tf.reduce_sum(tf.gather(x, [3])),
    "wider indices": lambda x: tf.reduce_sum(tf.gather(x, tf.constant([2, 2], tf.int64))),
    "dense": lambda x: 2.0 * tf.reduce_sum(x),
}


@pytest.mark.parametrize("other", ROWS)
@pytest.mark.parametrize("of_variable", [False, True])
def test_slices_of_branches(other, of_variable):
    value = tf.reshape(tf.range(12.0), [4, 3])
    x = tf.Variable(value) if of_variable else value

    def gradient(taken):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(taken, lambda: tf.reduce_sum(tf.gather(x, [0, 1, 0])), lambda: ROWS[other](x))
        return tape.gradient(y, x)

    for taken in (True, False):
        eager = gradient(tf.constant(taken))
        expected = np.zeros([4, 3]) if eager is None else tf.convert_to_tensor(eager)
        found = tf.function(gradient, autograph=False)(tf.constant(taken))
        assert isinstance(found, tf.IndexedSlices) == (other != "dense")
        np.testing.assert_array_equal(tf.convert_to_tensor(found), expected)
