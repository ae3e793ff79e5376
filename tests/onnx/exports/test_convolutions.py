"""Convolutions and images in ONNX."""

import pytest

import reflow as tf
from tests.onnx.round_trip import floats, operators, round_trip


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [1, 2], [0, 1], [0, 0]]])
def test_convolutions(padding):
    kernel, each = floats(3, 3, 2, 4), floats(3, 3, 2, 2)
    proto = round_trip(
        lambda x: (tf.nn.conv2d(x, kernel, 2, padding), tf.nn.depthwise_conv2d(x, each, [1, 2, 2, 1], padding)),
        floats(2, 7, 6, 2),
    )
    assert set(operators(proto)) == {"Transpose", "Conv"}


def test_groups_dilations_and_open_lengths():
    kernel = floats(3, 3, 1, 4)
    round_trip(lambda x: tf.nn.conv2d(x, kernel, 1, "SAME", dilations=2), floats(2, 7, 6, 2))
    round_trip(
        lambda x: tf.nn.conv2d(x, kernel, 2, "SAME"), floats(2, 7, 6, 1), specs=[tf.TensorSpec([None, None, None, 1])]
    )


@pytest.mark.parametrize(("strides", "padding"), [(2, "SAME"), (3, "VALID"), (1, "SAME")])
def test_transposed_convolutions(strides, padding):
    kernel = floats(2, 3, 4, 2)
    ends = [5 * strides, 4 * strides]
    function = lambda x: tf.nn.conv2d_transpose(x, kernel, [tf.shape(x)[0], *ends, 4], strides, padding)  # noqa: E731
    round_trip(function, floats(2, 5, 4, 2))


def test_pooling():
    round_trip(
        lambda x: (
            tf.nn.max_pool2d(x, 2, 2, "SAME"),
            tf.nn.avg_pool2d(x, 3, 2, "SAME"),
            tf.nn.max_pool2d(x, 2, 1, "VALID"),
        ),
        floats(2, 5, 6, 2),
    )


def test_images():
    x = floats(1, 4, 4, 4)
    round_trip(lambda x: (tf.nn.depth_to_space(x, 2), tf.nn.space_to_depth(x, 2)), x)
    v1 = tf.compat.v1.image
    round_trip(lambda x: (tf.image.resize(x, [7, 5]), v1.resize_bilinear(x, [7, 5], align_corners=True)), x)
    round_trip(lambda x: (tf.image.resize(x, [3, 9], "nearest"), v1.resize_nearest_neighbor(x, [7, 5])), x)


def test_a_kernel_that_is_computed():
    round_trip(
        lambda x, k: tf.nn.conv2d(x, k, 1, "SAME"),
        floats(1, 4, 4, 1),
        floats(2, 2, 1, 3),
        specs=[tf.TensorSpec(s) for s in ([1, 4, 4, 1], [2, 2, 1, 3])],
    )
    with pytest.raises(tf.onnx.UnexportableOps, match="shape of the kernel is not known"):
        tf.onnx.export(
            lambda x, k: tf.nn.conv2d(x, k, 1, "SAME"),
            specs=[tf.TensorSpec([1, 4, 4, 1]), tf.TensorSpec([None, 2, 1, 3])],
        )
