"""Maps from tensors to tensors."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.control_flow import map_ops


def test_a_map_and_its_gradient():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        filled = map_ops.tensor_map_insert(map_ops.empty_tensor_map(), tf.constant(1), x)
        y = map_ops.tensor_map_lookup(filled, tf.constant(1), tf.float32) * 2.0
    assert tape.gradient(y, x).numpy() == 2.0
    assert map_ops.tensor_map_size(filled).numpy() == 1 and map_ops.tensor_map_has_key(filled, tf.constant(1)).numpy()
    assert map_ops.tensor_map_stack_keys(filled, tf.int32).numpy().tolist() == [1]
    assert map_ops.tensor_map_size(map_ops.tensor_map_erase(filled, tf.constant(1), tf.float32)).numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-existent key"):
        map_ops.tensor_map_lookup(filled, tf.constant(2), tf.float32)
