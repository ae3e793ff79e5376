"""Tensor lists in ONNX."""

import pytest

import reflow as tf
from tests.onnx.round_trip import floats, round_trip


def test_lists_without_a_loop():
    def function(x):
        parts = tf.TensorArray(tf.float32, 3).unstack(tf.reshape(x, [3, 2]))
        written = tf.TensorArray(tf.float32, 2).write(1, x[0]).write(0, parts.read(2))
        return written.stack(), parts.gather([2, 0]), parts.size(), written.concat()

    round_trip(function, floats(3, 2), specs=[tf.TensorSpec([3, 2])])


def test_lists_that_grow():
    def function(x):
        kept = tf.raw_ops.EmptyTensorList(element_shape=[-1], max_num_elements=3, element_dtype=tf.float32)
        for row in (x[0], x[1]):
            kept = tf.raw_ops.TensorListPushBack(input_handle=kept, tensor=row)
        rest, last = tf.raw_ops.TensorListPopBack(input_handle=kept, element_shape=[-1], element_dtype=tf.float32)
        return last, tf.raw_ops.TensorListStack(input_handle=rest, element_shape=[-1], element_dtype=tf.float32)

    round_trip(function, floats(3, 2))


def test_writing_behind_the_end_is_refused():
    with pytest.raises(tf.onnx.UnexportableOps, match="grows by writing"):
        tf.onnx.export(
            lambda x: tf.TensorArray(tf.float32, 0, dynamic_size=True).write(0, x).stack(), specs=[tf.TensorSpec([2])]
        )
