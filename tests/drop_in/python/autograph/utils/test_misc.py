"""Copies of tensors and lengths of ranges."""

import pytest

import reflow as tf
from reflow.drop_in.python.autograph.utils import misc


def test_copies():
    with tf.Graph().as_default():
        x = tf.constant(1)
        copy, number = misc.alias_tensors(x, 2)
        assert copy.op.type == "Identity" and copy.op.inputs[0] is x and number == 2
        assert misc.alias_tensors(3) == 3
    with pytest.raises(ValueError, match="at least one argument required"):
        misc.alias_tensors()


@pytest.mark.parametrize("numbers", [(0, 10, 3), (0, -10, 3), (0, 5, -2), (5, 0, -2), (2, 2, 1)])
def test_lengths(numbers):
    length = misc.get_range_len(*(tf.constant(n) for n in numbers))
    assert length.dtype == tf.int32 and length.numpy() == len(range(*numbers)) == misc.get_range_len(*numbers).numpy()
