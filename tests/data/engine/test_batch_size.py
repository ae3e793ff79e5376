"""`compute_batch_size`, by which Keras splits batches among replicas: the sizes that TensorFlow 2.21 finds."""

import pytest

import reflow as tf

compute_batch_size = tf.__internal__.data.compute_batch_size
RANGE = tf.data.Dataset.range(20)
FOURS = RANGE.batch(4)


@pytest.mark.parametrize(
    ("dataset", "size"),
    [
        (FOURS, 4),
        (RANGE.batch(4, drop_remainder=True), 4),
        (FOURS.batch(2), 2),
        (FOURS.prefetch(2).repeat().shuffle(3).take(2).skip(1).cache().shard(2, 0), 4),
        (FOURS.with_options(tf.data.Options()), 4),
        (FOURS.filter(lambda x: x[0] > 3), 4),
        (FOURS.apply(tf.data.experimental.assert_cardinality(5)), 4),
        (FOURS.concatenate(FOURS), 4),
        (FOURS.concatenate(RANGE.batch(5)), -1),
        (tf.data.Dataset.zip((FOURS, FOURS)), 4),
        (tf.data.Dataset.zip((FOURS, RANGE.batch(2))), -1),
        (RANGE.padded_batch(3, padded_shapes=[]), 3),
        (FOURS.rebatch(2), -1),
        (FOURS.map(lambda x: x + 1), -1),
        (FOURS.take_while(lambda x: x[0] < 9), -1),
        (RANGE.map(lambda x: tf.fill([3], x)), 3),
        (tf.data.Dataset.from_tensors(tf.zeros([7, 3])), 7),
        (FOURS.map(lambda x: (x, tf.zeros([5]))), -1),
    ],
)
def test_sizes(dataset, size):
    assert int(compute_batch_size(dataset)) == size


def test_scalars_have_none():
    with pytest.raises(IndexError):
        compute_batch_size(RANGE)
