"""Lists of tensors as one value."""

import reflow as tf
from reflow.drop_in.python.ops.control_flow import list_ops


def test_lists():
    rows = list_ops.tensor_list_from_tensor([[1.0, 2.0], [3.0, 4.0]], element_shape=[2])
    rows, last = list_ops.tensor_list_pop_back(rows, tf.float32)
    assert last.numpy().tolist() == [3.0, 4.0]
    assert list_ops.tensor_list_stack(rows, tf.float32).numpy().tolist() == [[1.0, 2.0]]
    reserved = list_ops.tensor_list_reserve(element_shape=[], num_elements=2, element_dtype=tf.float32)
    reserved = list_ops.tensor_list_set_item(reserved, 1, 5.0)
    assert list_ops.tensor_list_gather(reserved, [1, 1], tf.float32, []).numpy().tolist() == [5.0, 5.0]
    assert list_ops.tensor_list_get_item(reserved, 0, tf.float32, []).numpy() == 0.0
    scattered = list_ops.tensor_list_scatter([1.0, 2.0], [1, 0], element_shape=[])
    assert list_ops.tensor_list_stack(scattered, tf.float32, element_shape=[]).numpy().tolist() == [2.0, 1.0]
    parts = list_ops.tensor_list_split([1.0, 2.0, 3.0], element_shape=[None], lengths=[1, 2])
    assert list_ops.tensor_list_concat(parts, tf.float32, [None]).numpy().tolist() == [1.0, 2.0, 3.0]
    assert list_ops.tensor_list_stack(list_ops.empty_tensor_list([2], tf.int32), tf.int32, 0, [2]).shape == (0, 2)
