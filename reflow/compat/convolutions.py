"""Convolutions and pools of `tf.compat.v1.nn`, whose arguments have other names and another order than in TensorFlow 2."""

from __future__ import annotations

from collections.abc import Sequence

from reflow.api.export import export
from reflow.api.nn import conv, conv_transpose
from reflow.api.nn import pool as pooling
from reflow.compat.functions import either


@export("compat.v1.nn.convolution")
def convolution(
    input, filter=None, padding: str | None = None, strides=None, dilation_rate=None, name: str | None = None,
    data_format: str | None = None, filters=None, dilations: Sequence[int] | None = None,
):
    """A convolution over one, two or three dimensions."""
    filters = either(filters, filter, "filters", "filter")
    dilations = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return conv.convolution(input, filters, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.conv1d")
def conv1d(
    value=None, filters=None, stride=None, padding: str | None = None, use_cudnn_on_gpu=None,
    data_format: str | None = None, name: str | None = None, input=None, dilations: int | Sequence[int] | None = None,
):
    """A convolution of sequences."""
    value = either(input, value, "input", "value")
    return conv.conv1d(value, filters, stride, padding, data_format or "NWC", dilations, name)


@export("compat.v1.nn.conv3d")
def conv3d(
    input, filter=None, strides=None, padding: str | None = None, data_format: str = "NDHWC", dilations=(1, 1, 1, 1, 1),
    name: str | None = None, filters=None,
):
    """A convolution of volumes."""
    filters = either(filters, filter, "filters", "filter")
    return conv.conv3d(input, filters, strides, padding, data_format, list(dilations), name)


@export("compat.v1.nn.conv2d_transpose")
def conv2d_transpose(
    value=None, filter=None, output_shape=None, strides=None, padding: str = "SAME", data_format: str = "NHWC",
    name: str | None = None, input=None, filters=None, dilations=None,
):
    """The transpose of a convolution of images."""
    value, filters = either(input, value, "input", "value"), either(filters, filter, "filters", "filter")
    return conv_transpose.conv2d_transpose(value, filters, output_shape, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.depthwise_conv2d")
def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """A convolution of each channel by itself."""
    dilations = either(dilations, rate, "dilations", "rate")
    return conv.depthwise_conv2d(input, filter, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.separable_conv2d")
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, dilations=None
):
    """A convolution of each channel by itself, then one that mixes channels."""
    dilations = either(dilations, rate, "dilations", "rate")
    return conv.separable_conv2d(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, dilations, name
    )


@export("compat.v1.nn.pool")
def pool(
    input, window_shape, pooling_type: str, padding: str, dilation_rate=None, strides=None, name: str | None = None,
    data_format: str | None = None, dilations=None,
):
    """A pool over any number of dimensions."""
    dilations = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return pooling.pool(input, window_shape, pooling_type, strides, padding, data_format, dilations, name)
