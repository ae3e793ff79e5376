"""A tensor list with the methods of Python's."""

import reflow as tf
from reflow.drop_in.python.autograph.utils import tensor_list


def test_as_a_list():
    numbers = tensor_list.TensorList([], tf.float32)
    for x in (1.0, 2.0):
        assert tensor_list.dynamic_list_append(numbers, tf.constant(x)) is numbers
    numbers[0] = tf.constant(5.0)
    assert (
        (numbers.count().numpy(), numbers[0].numpy(), numbers.pop().numpy(), numbers.count().numpy())
        == (2, 5.0, 2.0, 1)
    )
    assert tensor_list.dynamic_list_append([], 1) == [1]
