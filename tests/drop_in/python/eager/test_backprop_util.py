"""Sums of gradients of which some are rows, with TensorFlow's results."""

import reflow as tf
from reflow.drop_in.python.eager import backprop_util as util


def rows(values, places, dtype=tf.int32):
    return tf.IndexedSlices(tf.constant(values), tf.constant(places, dtype), tf.constant([2, 1]))


def test_sums():
    total = util.AggregateIndexedSlicesGradients
    assert total([]) is None and total([None]) is None
    assert total([tf.constant([1.0]), None, tf.constant([2.0])]).numpy().tolist() == [3.0]
    assert total([rows([[1.0]], [0]), tf.constant([[1.0], [2.0]])]).numpy().tolist() == [[2.0], [2.0]]
    both = total([rows([[1.0]], [0], tf.int64), rows([[3.0]], [1])])
    assert both.values.numpy().tolist() == [[1.0], [3.0]] and both.indices.dtype == tf.int64


def test_rows_of_rows():
    inner = tf.IndexedSlices(tf.constant([[5.0]]), tf.constant([1]))
    flat = util.FlattenNestedIndexedSlices(tf.IndexedSlices(inner, tf.constant([7, 8])))
    assert (flat.values.numpy().tolist(), flat.indices.numpy().tolist()) == ([[5.0]], [8])


def test_what_has_gradients():
    kinds = (tf.float32, tf.variant, tf.resource, tf.bfloat16, tf.constant(1.0), tf.int32, tf.string, tf.bool)
    assert [util.IsTrainable(kind) for kind in kinds] == [True] * 5 + [False] * 3
