"""Strides, windows, dilations and paddings as attributes of ops."""

import numpy as np
import pytest

import reflow as tf
from reflow.api.nn import windows


def test_formats():
    assert [windows.full_format(None, n) for n in (1, 2, 3)] == ["NWC", "NHWC", "NDHWC"]
    assert (
        windows.full_format("NCHW", 3) == "NCDHW" and windows.channels_first("NCW") and not windows.channels_first(None)
    )
    with pytest.raises(ValueError, match="data_format=CHWN"):
        windows.full_format("CHWN", 2)


@pytest.mark.parametrize(("value", "first", "expected"), [
    (None, False, [1, 1, 1, 1]), (2, False, [1, 2, 2, 1]), ([2, 3], True, [1, 1, 2, 3]),
    ([1, 2, 3, 1], False, [1, 2, 3, 1]), (np.array([2]), False, [1, 2, 2, 1]),
])  # fmt: skip
def test_one_number_for_each_axis(value, first, expected):
    assert windows.per_axis(value, 2, first, "strides") == expected


def test_other_lengths_are_refused():
    with pytest.raises(
        ValueError, match="strides should be of length 1, 2 or 4. Received: strides=.1, 2, 3. of length 3"
    ):
        windows.per_axis([1, 2, 3], 2, False, "strides")


def test_paddings():
    assert windows.padding_attrs("same") == {"padding": "SAME"}
    pairs = [[0, 0], [1, 2], [3, 4], [0, 0]]
    assert windows.padding_attrs(pairs) == {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 3, 4, 0, 0]}
    for wrong in ([[0, 0]], [[0, 0], 1, [0, 0], [0, 0]], "EXPLICIT"):
        with pytest.raises(ValueError):
            windows.padding_attrs(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="NONE"):
        windows.padding_attrs("NONE")


def test_a_sequence_is_an_image_of_height_one():
    attrs = windows.window_attrs(1, [[0, 0], [1, 1], [0, 0]], "NWC", strides=2)
    assert attrs["strides"] == [1, 1, 2, 1] and attrs["data_format"] == "NHWC"
    assert attrs["explicit_paddings"] == [0, 0, 0, 0, 1, 1, 0, 0]
    x = windows.expand(tf.ones([1, 3, 2]), 1)
    assert x.shape == [1, 1, 3, 2] and windows.squeeze(x, 1).shape == [1, 3, 2]


def test_sizes_may_be_tensors():
    for sizes in ([1, 2], tf.TensorShape([1, 2]), tf.constant([1, 2], tf.int64), [tf.constant(1), 2], np.array([1, 2])):
        operand = windows.sizes_operand(sizes)
        assert operand.dtype is tf.int32 and operand.numpy().tolist() == [1, 2]
