"""Shapes as tensors, and back."""

import reflow as tf
from reflow.drop_in.python.ops import shape_util


def test_both_ways():
    assert shape_util.shape_tensor((1, tf.compat.v1.Dimension(2))).numpy().tolist() == [1, 2]
    assert shape_util.shape_tensor([]).dtype is tf.int32

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        shape_util.maybe_set_static_shape(x, tf.stack([2, tf.size(x)]))
        return x

    assert f.get_concrete_function().inputs[0].shape.as_list() == [2, None]
