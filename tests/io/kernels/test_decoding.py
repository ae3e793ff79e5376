"""Strings that hold data, in functions."""

import reflow as tf


def test_the_columns_of_a_traced_record():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def read(lines):
        numbers, names = tf.io.decode_csv(lines, [[0], ["none"]])
        assert numbers.shape.as_list() == [None] and names.dtype is tf.string
        return numbers, names

    numbers, names = read(["1,a", ",b"])
    assert numbers.numpy().tolist() == [1, 0] and names.numpy().tolist() == [b"a", b"b"]
