"""Arguments of layers. The numbers and texts are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.layers import utils


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (utils.convert_data_format, ("channels_last", 3), "NWC"),
        (utils.convert_data_format, ("channels_first", 5), "NCDHW"),
        (utils.normalize_tuple, (2, 3, "k"), (2, 2, 2)),
        (utils.normalize_tuple, ([1, 2], 2, "k"), (1, 2)),
        (utils.normalize_data_format, ("Channels_Last",), "channels_last"),
        (utils.normalize_padding, ("SAME",), "same"),
        (utils.conv_output_length, (10, 3, "same", 1), 10),
        (utils.conv_output_length, (10, 3, "valid", 2), 4),
        (utils.conv_output_length, (10, 3, "full", 2), 6),
        (utils.conv_output_length, (10, 3, "valid", 2, 2), 3),
        (utils.conv_input_length, (10, 3, "same", 2), 19),
        (utils.conv_input_length, (10, 3, "valid", 2), 21),
        (utils.conv_input_length, (10, 3, "full", 2), 17),
        (utils.deconv_output_length, (5, 3, "same", 2), 10),
        (utils.deconv_output_length, (5, 3, "valid", 2), 11),
        (utils.deconv_output_length, (5, 3, "full", 2), 7),
        (utils.conv_output_length, (None, 3, "same", 1), None),
        (utils.conv_input_length, (None, 3, "same", 1), None),
        (utils.deconv_output_length, (None, 3, "same", 1), None),
        (utils.constant_value, (1,), True),
    ],
)
def test_values(function, arguments, expected):
    assert function(*arguments) == expected


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (utils.convert_data_format, ("x", 4), "Invalid data_format: x."),
        (utils.convert_data_format, ("channels_last", 7), "Input rank: 7 not supported."),
        (utils.normalize_tuple, ((1, 2), 3, "k"), r"Argument `k` must be a tuple of 3 integers. Received: \(1, 2\)"),
        (utils.normalize_tuple, ((1, "a"), 2, "k"), "including element a of type <class 'str'>"),
        (utils.normalize_tuple, (None, 2, "k"), "Received: None"),
        (utils.normalize_padding, ("x",), 'The `padding` argument must be one of "valid", "same". Received: x.'),
    ],
)
def test_refusals(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


def test_conditions():
    assert utils.constant_value(tf.constant(True)) and utils.constant_value(tf.Variable(True)) is None
    with pytest.raises(TypeError, match="must be a Tensor, or a Python bool, or 1 or 0"):
        utils.constant_value(3)
    with pytest.raises(AssertionError):
        utils.conv_output_length(10, 3, "causal", 1)
