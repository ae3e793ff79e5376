"""Groups of elements by a key."""

import reflow as tf
from tests.data.engine.datasets import restored_everywhere, value_of

D = tf.data.Dataset


def test_groups_are_restored_everywhere():
    total = tf.data.experimental.Reducer(lambda _: tf.constant(0, tf.int64), lambda s, x: s + x, lambda s: s)
    restored_everywhere(value_of(D.range(7).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, total))))
    restored_everywhere(value_of(D.range(7).group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), window_size=3)))
