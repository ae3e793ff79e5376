"""An element as one variant."""

import pytest

import reflow as tf
from reflow.drop_in.python.data.experimental.ops import compression_ops


def test_an_element_comes_back():
    element = {"a": tf.constant([1, 2]), "b": tf.ragged.constant([[1.0], []]), "c": tf.sparse.from_dense([0, 3])}
    spec = tf.data.Dataset.from_tensors(element).element_spec
    variant = compression_ops.compress(element)
    back = compression_ops.uncompress(variant, spec)
    assert variant.shape == [] and back["a"].numpy().tolist() == [1, 2] and back["b"].to_list() == [[1.0], []]
    assert tf.sparse.to_dense(back["c"]).numpy().tolist() == [0, 3]
    mapped = tf.data.Dataset.range(2).map(compression_ops.compress)
    assert [int(x) for x in mapped.map(lambda v: compression_ops.uncompress(v, tf.TensorSpec([], tf.int64)))] == [0, 1]


def test_other_things_do_not():
    number = tf.TensorSpec([], tf.int32)
    with pytest.raises(tf.errors.FailedPreconditionError, match="type int32 but got a tensor of type string"):
        compression_ops.uncompress(compression_ops.compress("a"), number)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Expected 2 outputs"):
        compression_ops.uncompress(compression_ops.compress(1), (number, number))
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not contain a compressed element"):
        compression_ops.uncompress(tf.data.Dataset.range(1)._variant_tensor, number)
    with pytest.raises(TypeError, match="Only a variant can be uncompressed"):
        compression_ops.uncompress([1], number)
