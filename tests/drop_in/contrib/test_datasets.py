"""Batches of one size."""

import reflow as tf
from reflow.drop_in.contrib.index import contrib


def test_what_is_left_over_is_dropped():
    ds = tf.data.Dataset.range(5)
    assert [b.numpy().tolist() for b in ds.apply(contrib.data.batch_and_drop_remainder(2))] == [[0, 1], [2, 3]]
    padded = ds.map(lambda n: tf.ones([n])).apply(contrib.data.padded_batch_and_drop_remainder(2, [3]))
    assert [b.shape.as_list() for b in padded.take(1)] == [[2, 3]]
