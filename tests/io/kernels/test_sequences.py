"""Shapes that the parsing of sequences infers."""

import reflow as tf


def test_shapes_of_a_batch():
    @tf.function(input_signature=[tf.TensorSpec([4], tf.string)])
    def read(texts):
        return tf.io.parse_sequence_example(texts, {"c": tf.io.FixedLenFeature([], tf.int64)}, {
            "s": tf.io.FixedLenSequenceFeature([2], tf.int64), "v": tf.io.VarLenFeature(tf.int64),
            "r": tf.io.RaggedFeature(tf.float32),
        })

    context, lists, lengths = read.get_concrete_function().structured_outputs
    assert context["c"].shape.as_list() == [4] and lengths["s"].shape.as_list() == [4]
    assert lists["s"].shape.as_list() == [4, None, 2] and lists["v"].indices.shape.as_list() == [None, 3]
