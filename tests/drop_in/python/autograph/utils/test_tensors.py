"""Kinds of tensors."""

import reflow as tf
from reflow.drop_in.python.autograph.utils import tensors


def test_kinds():
    array = tf.TensorArray(tf.int32, 1)
    variants = tf.raw_ops.EmptyTensorList(element_shape=tf.constant(-1), max_num_elements=1, element_dtype=tf.int32)
    assert tensors.is_tensor_array(array) and not tensors.is_tensor_list(array)
    assert tensors.is_tensor_list(variants) and not tensors.is_tensor_list(tf.constant(1))
    assert tensors.is_dense_tensor(tf.constant(1))
    assert not tensors.is_dense_tensor(tf.sparse.from_dense([1])) and not tensors.is_dense_tensor(1)
    with tf.Graph().as_default():
        assert tensors.is_range_tensor(tf.range(3)) and not tensors.is_range_tensor(tf.constant(1))
