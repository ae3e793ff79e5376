"""Axes taken together."""

import reflow as tf
from reflow.drop_in.python.ops.ragged.ragged_tensor import merge_dims


def test_ragged_and_dense():
    ragged = tf.ragged.constant([[[1, 2], [3]], [[4]]])
    assert merge_dims(ragged, 1, 2).to_list() == [[1, 2, 3], [4]] and merge_dims(ragged, 1, 1) is ragged
    assert merge_dims(tf.ones([2, 3, 4]), 0, 1).shape == [6, 4] and merge_dims(tf.ones([2, 3, 4]), 1, 2).shape == [2, 12]
    unknown = tf.function(lambda x: merge_dims(x, 0, 1), input_signature=[tf.TensorSpec([None, None, 4])])
    assert unknown(tf.ones([2, 3, 4])).shape == [6, 4]
