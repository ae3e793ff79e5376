"""Convolutions and pooling of `tf.compat.v1.nn`, whose argument names and order differ from TensorFlow 2."""

from __future__ import annotations

from collections.abc import Sequence

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.nn import conv, conv_transpose, morphology
from reflow.api.nn import pool as pooling
from reflow.api.nn.windows import padding_attrs, sizes_operand
from reflow.compat.functions import either
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

_ONES = [1, 1, 1, 1]  # TensorFlow's default; never written


@export("compat.v1.nn.convolution")
def convolution(
    input, filter=None, padding: str | None = None, strides=None, dilation_rate=None, name: str | None = None,
    data_format: str | None = None, filters=None, dilations: Sequence[int] | None = None,
):
    """A convolution over one, two or three dimensions.

    >>> sequence = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 4, 1])
    >>> tf.compat.v1.nn.convolution(sequence, tf.ones([2, 1, 1]), "VALID").numpy().ravel().tolist()
    [3.0, 5.0, 7.0]
    """
    filters = either(filters, filter, "filters", "filter")
    dilations = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return conv.convolution(input, filters, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.conv1d")
def conv1d(
    value=None, filters=None, stride=None, padding: str | None = None, use_cudnn_on_gpu=None,
    data_format: str | None = None, name: str | None = None, input=None, dilations: int | Sequence[int] | None = None,
):
    """A convolution of sequences.

    >>> sequence = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 4, 1])
    >>> tf.compat.v1.nn.conv1d(sequence, tf.ones([2, 1, 1]), stride=1, padding="VALID").numpy().ravel().tolist()
    [3.0, 5.0, 7.0]
    """
    value = either(input, value, "input", "value")
    return conv.conv1d(value, filters, stride, padding, data_format or "NWC", dilations, name)


@export("compat.v1.nn.conv3d")
def conv3d(
    input, filter=None, strides=None, padding: str | None = None, data_format: str = "NDHWC", dilations=(1, 1, 1, 1, 1),
    name: str | None = None, filters=None,
):
    """A convolution of volumes.

    >>> tf.compat.v1.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 1, 1, 1, 1], "VALID").numpy().item()
    8.0
    """
    filters = either(filters, filter, "filters", "filter")
    return conv.conv3d(input, filters, strides, padding, data_format, list(dilations), name)


@export("compat.v1.nn.conv2d_transpose")
def conv2d_transpose(
    value=None, filter=None, output_shape=None, strides=None, padding: str = "SAME", data_format: str = "NHWC",
    name: str | None = None, input=None, filters=None, dilations=None,
):
    """The transpose of a convolution of images.

    >>> w = tf.fill([1, 1, 1, 1], 3.0)
    >>> tf.compat.v1.nn.conv2d_transpose(tf.ones([1, 1, 2, 1]), w, [1, 1, 2, 1], [1] * 4).numpy().ravel().tolist()
    [3.0, 3.0]
    """
    value, filters = either(input, value, "input", "value"), either(filters, filter, "filters", "filter")
    return conv_transpose.conv2d_transpose(value, filters, output_shape, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.depthwise_conv2d")
def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """A depthwise convolution.

    >>> image = tf.reshape([1.0, 10.0, 2.0, 20.0], [1, 1, 2, 2])      # one row, two pixels, two channels
    >>> tf.compat.v1.nn.depthwise_conv2d(image, tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "VALID").numpy().ravel().tolist()
    [3.0, 30.0]
    """
    dilations = either(dilations, rate, "dilations", "rate")
    return conv.depthwise_conv2d(input, filter, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.separable_conv2d")
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, dilations=None
):
    """A depthwise convolution, then one that mixes channels.

    >>> image = tf.reshape([1.0, 10.0, 2.0, 20.0], [1, 1, 2, 2])      # one row, two pixels, two channels
    >>> sums = tf.compat.v1.nn.separable_conv2d(image, tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 2, 1]), [1, 1, 1, 1], "VALID")
    >>> sums.numpy().ravel().tolist()
    [33.0]
    """
    dilations = either(dilations, rate, "dilations", "rate")
    return conv.separable_conv2d(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, dilations, name
    )


@export("compat.v1.nn.pool")
def pool(
    input, window_shape, pooling_type: str, padding: str, dilation_rate=None, strides=None, name: str | None = None,
    data_format: str | None = None, dilations=None,
):
    """A pool over any number of dimensions.

    >>> sequence = tf.reshape([1.0, 5.0, 3.0, 4.0], [1, 4, 1])
    >>> tf.compat.v1.nn.pool(sequence, [2], "MAX", "VALID", strides=[2]).numpy().ravel().tolist()
    [5.0, 4.0]
    """
    dilations = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return pooling.pool(input, window_shape, pooling_type, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.conv3d_transpose")
def conv3d_transpose(
    value=None, filter=None, output_shape=None, strides=None, padding: str = "SAME", data_format: str = "NDHWC",
    name: str | None = None, input=None, filters=None, dilations=None,
):
    """The transpose of a convolution of volumes.

    >>> w, x = tf.ones([2, 2, 2, 1, 1]), tf.ones([1, 1, 1, 1, 1])
    >>> tf.compat.v1.nn.conv3d_transpose(x, w, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1]).shape
    TensorShape([1, 2, 2, 2, 1])
    """
    value, filters = either(input, value, "input", "value"), either(filters, filter, "filters", "filter")
    return conv_transpose.conv3d_transpose(value, filters, output_shape, strides, padding, data_format, dilations, name)


def _backprop(op: str, inputs, strides, padding, use_cudnn_on_gpu, data_format, dilations, name):
    attrs = {"strides": list(strides), "data_format": data_format, "dilations": list(dilations), **padding_attrs(padding)}
    return call(op, inputs, {**attrs, "use_cudnn_on_gpu": bool(use_cudnn_on_gpu)}, name)


@export("compat.v1.nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes, filter=None, out_backprop=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC",
    dilations=_ONES, name=None, filters=None,
):
    """The gradient of a convolution of images with respect to them.

    >>> w, g = tf.fill([1, 1, 1, 1], 3.0), tf.ones([1, 1, 2, 1])
    >>> tf.compat.v1.nn.conv2d_backprop_input([1, 1, 2, 1], w, g, [1] * 4, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    filters = either(filters, filter, "filters", "filter")
    inputs = sizes_operand(input_sizes), convert_to_tensor(filters), convert_to_tensor(out_backprop)
    return _backprop("Conv2DBackpropInput", inputs, strides, padding, use_cudnn_on_gpu, data_format, dilations, name)


@export("compat.v1.nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True, data_format="NHWC", dilations=_ONES, name=None,
):
    """The gradient of a convolution of images with respect to its filter.

    >>> x, g = tf.ones([1, 2, 2, 1]), tf.ones([1, 2, 2, 1])
    >>> tf.compat.v1.nn.conv2d_backprop_filter(x, [1, 1, 1, 1], g, [1] * 4, "VALID").numpy().item()
    4.0
    """
    inputs = convert_to_tensor(input), sizes_operand(filter_sizes), convert_to_tensor(out_backprop)
    return _backprop("Conv2DBackpropFilter", inputs, strides, padding, use_cudnn_on_gpu, data_format, dilations, name)


@export("compat.v1.nn.depthwise_conv2d_native")
def depthwise_conv2d_native(input, filter, strides, padding, data_format="NHWC", dilations=_ONES, name=None):
    """A depthwise convolution.

    >>> x, w = tf.ones([1, 1, 2, 1]), tf.fill([1, 1, 1, 1], 3.0)
    >>> tf.compat.v1.nn.depthwise_conv2d_native(x, w, [1] * 4, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    attrs = {"strides": list(strides), "data_format": data_format, "dilations": list(dilations), **padding_attrs(padding)}
    return call("DepthwiseConv2dNative", (convert_to_tensor(input), convert_to_tensor(filter)), attrs, name)


@export("compat.v1.nn.avg_pool2d")
def avg_pool2d(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
    """The means of windows of images.

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.compat.v1.nn.avg_pool2d(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0, :, :, 0].numpy().tolist()
    [[2.5, 4.5], [10.5, 12.5]]
    """
    return pooling.avg_pool2d(either(input, value, "input", "value"), ksize, strides, padding, data_format, name)


@export("compat.v1.nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input, ksize, strides, padding, data_format="NHWC", Targmax=None, name=None, output_dtype=None, include_batch_in_index=False,
):
    """The maximum of each window and its flat index in the image.

    >>> image = tf.reshape([1.0, 9.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> largest, places = tf.compat.v1.nn.max_pool_with_argmax(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    >>> largest.numpy().item(), places.numpy().item()
    (9.0, 1)
    """
    dtype = either(output_dtype, Targmax, "output_dtype", "Targmax") or dtypes.int64
    return pooling.max_pool_with_argmax(input, ksize, strides, padding, data_format, dtype, include_batch_in_index, name)


@export("compat.v1.nn.dilation2d")
def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None):
    """The grey dilation of images.

    >>> image = tf.reshape([1.0, 9.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> tf.compat.v1.nn.dilation2d(image, tf.zeros([2, 2, 1]), [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy().item()
    9.0
    """
    filters, rates = either(filters, filter, "filters", "filter"), either(dilations, rates, "dilations", "rates")
    return morphology.dilation2d(input, filters, strides, padding, "NHWC", rates, name)


@export("compat.v1.nn.erosion2d")
def erosion2d(value, kernel, strides, rates, padding, name=None):
    """The grey erosion of images.

    >>> image = tf.reshape([1.0, 9.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> tf.compat.v1.nn.erosion2d(image, tf.zeros([2, 2, 1]), [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy().item()
    1.0
    """
    return morphology.erosion2d(value, kernel, strides, padding, "NHWC", rates, name)
