"""Shapes that parsing ops infer."""

import reflow as tf


def test_shapes_of_single_examples():
    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def read(text):
        return tf.io.parse_single_example(
            text, {"a": tf.io.FixedLenFeature([2], tf.int64), "b": tf.io.VarLenFeature(tf.int64)}
        )

    found = read.get_concrete_function().structured_outputs
    assert found["a"].shape.as_list() == [2] and found["b"].indices.shape.as_list() == [None, 1]
