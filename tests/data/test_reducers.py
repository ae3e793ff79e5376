"""`group_by_reducer`."""

import pytest

import reflow as tf

D = tf.data.Dataset
group = tf.data.experimental.group_by_reducer
Reducer = tf.data.experimental.Reducer


def test_the_state_may_be_a_structure_and_change_its_shape():
    mean = Reducer(
        lambda key: (0.0, 0), lambda s, x: (s[0] + tf.cast(x, tf.float32), s[1] + 1),
        lambda s, n: s / tf.cast(n, tf.float32),
    )
    assert [float(x) for x in D.range(6).apply(group(lambda x: x % 2, mean))] == [2.0, 3.0]
    joined = Reducer(
        lambda key: tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, tf.expand_dims(x, 0)], 0), lambda s: s
    )
    ds = D.range(5, 0, -1).apply(group(lambda x: x % 2, joined))
    assert [x.numpy().tolist() for x in ds] == [[5, 3, 1], [4, 2]]


def test_a_key_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="Expected `key_func` to return a scalar tf.int64"):
        D.range(2).apply(group(lambda x: "a", Reducer(lambda k: 0, lambda s, x: s, lambda s: s)))


def test_an_iterator_is_restored():
    ds = D.range(6).apply(group(lambda x: x % 3, Reducer(lambda k: tf.constant(0), lambda s, x: s + 1, lambda s: s)))
    iterator = iter(ds)
    next(iterator)
    again = iter(ds)
    again._restore(iterator._save())
    assert [int(x) for x in again] == [2, 2]
