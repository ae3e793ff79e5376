"""Convolutions and pooling of `tf.compat.v1.nn`, whose argument names and order differ from TensorFlow 2."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from reflow.api.call import call
from reflow.api.export import export, export_function, with_sections
from reflow.api.nn import conv, conv_transpose, morphology
from reflow.api.nn import pool as pooling
from reflow.api.nn.windows import padding_attrs, sizes_operand
from reflow.compat.functions import either
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

_ONES = [1, 1, 1, 1]  # TensorFlow's default; never written


_SPATIAL = """\
Args:
  input: A tensor with an axis for the batch and one for the channels.
  padding: "VALID", or "SAME" to pad with zeros.
  strides: How far the window moves at a time along each spatial axis, 1 by default.
  dilation_rate: The distance of the elements of a window along each spatial axis, 1 by default.
  name: A name for the operation.
  data_format: The order of the axes; the channels are the last by default.
  filters: The new name of `filter`.
  dilations: The new name of `dilation_rate`.

Raises:
  ValueError: An argument is given by both names.
"""


@export("compat.v1.nn.convolution")
@with_sections(_SPATIAL)
def convolution(
    input, filter=None, padding: str | None = None, strides=None, dilation_rate=None, name: str | None = None,
    data_format: str | None = None, filters=None, dilations: Sequence[int] | None = None,
):
    """Convolves over one, two or three spatial axes.

    Args:
      filter: The filter, of shape `window + [input channels, output channels]`.

    Returns:
      A tensor of the rank and dtype of `input`.

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
    """Convolves sequences.

    Args:
      value: Sequences, of rank 3.
      filters: The filter, of shape `[width, input channels, output channels]`.
      stride: How far the window moves at a time.
      padding: "VALID", or "SAME" to pad with zeros.
      use_cudnn_on_gpu: Has no effect.
      data_format: "NWC", the default, or "NCW".
      name: A name for the operation.
      input: The new name of `value`.
      dilations: The distance of the elements of a window, 1 by default.

    Returns:
      A tensor of rank 3, of the dtype of the sequences.

    Raises:
      ValueError: An argument is given by both names.

    >>> sequence = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 4, 1])
    >>> tf.compat.v1.nn.conv1d(sequence, tf.ones([2, 1, 1]), stride=1, padding="VALID").numpy().ravel().tolist()
    [3.0, 5.0, 7.0]
    """
    value = either(input, value, "input", "value")
    return conv.conv1d(value, filters, stride, padding, data_format or "NWC", dilations, name)


_CONVOLUTION = """\
Args:
  input: {images}.
  filter: The filter, of shape `[{sizes}, input channels, output channels]`.
  strides: How far the window moves at a time along each axis, {numbers} numbers.
  padding: "VALID", or "SAME" to pad with zeros.
  use_cudnn_on_gpu: Has no effect.
  data_format: {formats}.
  dilations: The distance of the elements of a window along each axis.
  name: A name for the operation.
  filters: The new name of `filter`.

Returns:
  A tensor of rank {rank}, of the dtype of `input`.

Raises:
  ValueError: An argument is given by both names.
"""


@export("compat.v1.nn.conv3d")
@with_sections(
    _CONVOLUTION, images="Volumes, of rank 5", sizes="depth, height, width", numbers="five",
    formats='"NDHWC" or "NCDHW"', rank="5",
)
def conv3d(
    input, filter=None, strides=None, padding: str | None = None, data_format: str = "NDHWC", dilations=(1, 1, 1, 1, 1),
    name: str | None = None, filters=None,
):
    """Convolves volumes.

    >>> tf.compat.v1.nn.conv3d(
    ...     tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 1, 1, 1, 1], "VALID"
    ... ).numpy().item()
    8.0
    """
    filters = either(filters, filter, "filters", "filter")
    return conv.conv3d(input, filters, strides, padding, data_format, list(dilations), name)


_TRANSPOSE = """\
Args:
  filter: The filter, of shape {filter}.
  output_shape: The shape of the result.
  strides: How far the window moves at a time, {numbers}.
  padding: "VALID" or "SAME": that of the convolution.
  data_format: {formats}.
  name: A name for the operation.
  input: The new name of `value`.
  filters: The new name of `filter`.
  dilations: The distance of the elements of a window, 1 by default.

Returns:
  A tensor of `output_shape`.

Raises:
  ValueError: An argument is given by both names.
"""


@export("compat.v1.nn.conv2d_transpose")
@with_sections(
    _TRANSPOSE, filter="`[height, width, output channels, input channels]`", numbers="one, two or four numbers",
    formats='"NHWC" or "NCHW"',
)
def conv2d_transpose(
    value=None, filter=None, output_shape=None, strides=None, padding: str = "SAME", data_format: str = "NHWC",
    name: str | None = None, input=None, filters=None, dilations=None,
):
    """Applies the transpose of a convolution of images.

    Args:
      value: Images, of rank 4.

    >>> w = tf.fill([1, 1, 1, 1], 3.0)
    >>> tf.compat.v1.nn.conv2d_transpose(tf.ones([1, 1, 2, 1]), w, [1, 1, 2, 1], [1] * 4).numpy().ravel().tolist()
    [3.0, 3.0]
    """
    value, filters = either(input, value, "input", "value"), either(filters, filter, "filters", "filter")
    return conv_transpose.conv2d_transpose(value, filters, output_shape, strides, padding, data_format, dilations, name)


_DEPTHWISE = """\
Args:
  strides: How far the window moves at a time along each axis, four numbers.
  padding: "VALID", or "SAME" to pad with zeros.
  rate: The distance of the elements of a window along height and width, 1 by default.
  name: A name for the operation.
  data_format: "NHWC", the default, or "NCHW".
  dilations: The new name of `rate`.

Returns:
  A tensor of rank 4.

Raises:
  ValueError: An argument is given by both names.
"""


@export("compat.v1.nn.depthwise_conv2d")
@with_sections(_DEPTHWISE)
def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """Convolves each channel of images by itself.

    Args:
      input: Images, of rank 4.
      filter: The filter, of shape `[height, width, channels, how many each channel becomes]`.

    >>> image = tf.reshape([1.0, 10.0, 2.0, 20.0], [1, 1, 2, 2])      # one row, two pixels, two channels
    >>> tf.compat.v1.nn.depthwise_conv2d(image, tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "VALID").numpy().ravel().tolist()
    [3.0, 30.0]
    """
    dilations = either(dilations, rate, "dilations", "rate")
    return conv.depthwise_conv2d(input, filter, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.separable_conv2d")
@with_sections(_DEPTHWISE)
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, dilations=None
):
    """Convolves each channel of images by itself, then mixes the channels.

    Args:
      input: Images, of rank 4.
      depthwise_filter: The first filter, of shape `[height, width, channels, how many each channel becomes]`.
      pointwise_filter: The second, of shape `[1, 1, channels of the first result, output channels]`.

    >>> image = tf.reshape([1.0, 10.0, 2.0, 20.0], [1, 1, 2, 2])      # one row, two pixels, two channels
    >>> sums = tf.compat.v1.nn.separable_conv2d(
    ...     image, tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 2, 1]), [1, 1, 1, 1], "VALID"
    ... )
    >>> sums.numpy().ravel().tolist()
    [33.0]
    """
    dilations = either(dilations, rate, "dilations", "rate")
    return conv.separable_conv2d(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, dilations, name
    )


@export("compat.v1.nn.pool")
@with_sections(_SPATIAL)
def pool(
    input, window_shape, pooling_type: str, padding: str, dilation_rate=None, strides=None, name: str | None = None,
    data_format: str | None = None, dilations=None,
):
    """Takes the largest element or the mean of windows over any number of spatial axes.

    Args:
      window_shape: The size of the window along each spatial axis.
      pooling_type: "MAX" or "AVG".

    Returns:
      A tensor of the rank of `input`.

    >>> sequence = tf.reshape([1.0, 5.0, 3.0, 4.0], [1, 4, 1])
    >>> tf.compat.v1.nn.pool(sequence, [2], "MAX", "VALID", strides=[2]).numpy().ravel().tolist()
    [5.0, 4.0]
    """
    dilations = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return pooling.pool(input, window_shape, pooling_type, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.conv3d_transpose")
@with_sections(
    _TRANSPOSE, filter="`[depth, height, width, output channels, input channels]`",
    numbers="one, three or five numbers", formats='"NDHWC" or "NCDHW"',
)
def conv3d_transpose(
    value=None, filter=None, output_shape=None, strides=None, padding: str = "SAME", data_format: str = "NDHWC",
    name: str | None = None, input=None, filters=None, dilations=None,
):
    """Applies the transpose of a convolution of volumes.

    Args:
      value: Volumes, of rank 5.

    >>> w, x = tf.ones([2, 2, 2, 1, 1]), tf.ones([1, 1, 1, 1, 1])
    >>> tf.compat.v1.nn.conv3d_transpose(x, w, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1]).shape
    TensorShape([1, 2, 2, 2, 1])
    """
    value, filters = either(input, value, "input", "value"), either(filters, filter, "filters", "filter")
    return conv_transpose.conv3d_transpose(value, filters, output_shape, strides, padding, data_format, dilations, name)


def _backprop(op: str, inputs, strides, padding, use_cudnn_on_gpu, data_format, dilations, name):
    attrs = {
        "strides": list(strides), "data_format": data_format, "dilations": list(dilations), **padding_attrs(padding)
    }
    return call(op, inputs, {**attrs, "use_cudnn_on_gpu": bool(use_cudnn_on_gpu)}, name)


_BACKPROP = """\
Args:
  out_backprop: The gradient of the result.
  strides: The strides of the convolution, four numbers.
  padding: Its padding.
  use_cudnn_on_gpu: Has no effect.
  data_format: "NHWC" or "NCHW".
  dilations: Its dilations, four numbers.
  name: A name for the operation.
"""


@export("compat.v1.nn.conv2d_backprop_input")
@with_sections(_BACKPROP)
def conv2d_backprop_input(
    input_sizes, filter=None, out_backprop=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC",
    dilations=_ONES, name=None, filters=None,
):
    """Computes the gradient of a convolution of images with respect to them.

    Args:
      input_sizes: The shape of the images.
      filter: The filter.
      filters: The new name of `filter`.

    Returns:
      A tensor of shape `input_sizes`.

    Raises:
      ValueError: An argument is given by both names.

    >>> w, g = tf.fill([1, 1, 1, 1], 3.0), tf.ones([1, 1, 2, 1])
    >>> tf.compat.v1.nn.conv2d_backprop_input([1, 1, 2, 1], w, g, [1] * 4, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    filters = either(filters, filter, "filters", "filter")
    inputs = sizes_operand(input_sizes), convert_to_tensor(filters), convert_to_tensor(out_backprop)
    return _backprop("Conv2DBackpropInput", inputs, strides, padding, use_cudnn_on_gpu, data_format, dilations, name)


@export("compat.v1.nn.conv2d_backprop_filter")
@with_sections(_BACKPROP)
def conv2d_backprop_filter(
    input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True, data_format="NHWC", dilations=_ONES,
    name=None,
):
    """Computes the gradient of a convolution of images with respect to its filter.

    Args:
      input: The images.
      filter_sizes: The shape of the filter.

    Returns:
      A tensor of shape `filter_sizes`.

    >>> x, g = tf.ones([1, 2, 2, 1]), tf.ones([1, 2, 2, 1])
    >>> tf.compat.v1.nn.conv2d_backprop_filter(x, [1, 1, 1, 1], g, [1] * 4, "VALID").numpy().item()
    4.0
    """
    inputs = convert_to_tensor(input), sizes_operand(filter_sizes), convert_to_tensor(out_backprop)
    return _backprop("Conv2DBackpropFilter", inputs, strides, padding, use_cudnn_on_gpu, data_format, dilations, name)


@export("compat.v1.nn.depthwise_conv2d_native")
def depthwise_conv2d_native(input, filter, strides, padding, data_format="NHWC", dilations=_ONES, name=None):
    """Convolves each channel of images by itself.

    Args:
      input: Images, of rank 4.
      filter: The filter, of shape `[height, width, channels, how many each channel becomes]`.
      strides: How far the window moves at a time along each axis, four numbers.
      padding: "VALID", or "SAME" to pad with zeros.
      data_format: "NHWC" or "NCHW".
      dilations: The distance of the elements of a window along each axis, four numbers.
      name: A name for the operation.

    Returns:
      A tensor of rank 4.

    >>> x, w = tf.ones([1, 1, 2, 1]), tf.fill([1, 1, 1, 1], 3.0)
    >>> tf.compat.v1.nn.depthwise_conv2d_native(x, w, [1] * 4, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    attrs = {
        "strides": list(strides), "data_format": data_format, "dilations": list(dilations), **padding_attrs(padding)
    }
    return call("DepthwiseConv2dNative", (convert_to_tensor(input), convert_to_tensor(filter)), attrs, name)


_POOL = """\
Args:
  value: Images, of rank 4.
  ksize: The size of the window, one, two or four numbers.
  strides: How far it moves at a time, one, two or four numbers.
  padding: "VALID", or "SAME" for windows that reach beyond the ends.
  data_format: "NHWC" or "NCHW".
  name: A name for the operation.
"""
_POOLED = f"""\
{_POOL}
Returns:
  A tensor of rank 4.
"""


@export("compat.v1.nn.avg_pool2d")
@with_sections(_POOLED)
def avg_pool2d(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
    """Takes the means of windows of images.

    Args:
      input: The new name of `value`, which is None then.

    Raises:
      ValueError: An argument is given by both names.

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.compat.v1.nn.avg_pool2d(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0, :, :, 0].numpy().tolist()
    [[2.5, 4.5], [10.5, 12.5]]
    """
    image = either(input, value, "input", "value")
    return pooling.avg_pool2d(image, ksize, strides, padding, data_format, name or "AvgPool")


@export("compat.v1.nn.max_pool_with_argmax")
@with_sections(_POOL)
def max_pool_with_argmax(
    input, ksize, strides, padding, data_format="NHWC", Targmax=None, name=None, output_dtype=None,
    include_batch_in_index=False,
):
    """Takes the largest element of each window of images, and its index.

    Args:
      input: Images, of rank 4.
      data_format: "NHWC".
      Targmax: The dtype of the places, `tf.int64` by default.
      output_dtype: The new name of `Targmax`.
      include_batch_in_index: Whether places count from the first image; otherwise each image starts at 0.

    Returns:
      A pair of tensors: the largest elements, and their places in the flattened images.

    Raises:
      ValueError: An argument is given by both names.

    >>> image = tf.reshape([1.0, 9.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> largest, places = tf.compat.v1.nn.max_pool_with_argmax(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    >>> largest.numpy().item(), places.numpy().item()
    (9.0, 1)
    """
    dtype = either(output_dtype, Targmax, "output_dtype", "Targmax") or dtypes.int64
    return pooling.max_pool_with_argmax(
        input, ksize, strides, padding, data_format, dtype, include_batch_in_index, name
    )


_MORPHOLOGY = """\
Args:
  strides: How far the window moves at a time along each axis, four numbers.
  rates: The distance of the elements of a window along each axis, four numbers.
  padding: "VALID", or "SAME" to pad with zeros.
  name: A name for the operation.

Returns:
  A tensor of rank 4.
"""


@export("compat.v1.nn.dilation2d")
@with_sections(_MORPHOLOGY)
def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None):
    """Computes the grey dilation of images.

    Args:
      input: Images, of rank 4, in the format "NHWC".
      filter: The filter, of shape `[height, width, channels]`.
      filters: The new name of `filter`.
      dilations: The new name of `rates`.

    Raises:
      ValueError: An argument is given by both names.

    >>> image = tf.reshape([1.0, 9.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> tf.compat.v1.nn.dilation2d(image, tf.zeros([2, 2, 1]), [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy().item()
    9.0
    """
    filters, rates = either(filters, filter, "filters", "filter"), either(dilations, rates, "dilations", "rates")
    return morphology.dilation2d(input, filters, strides, padding, "NHWC", rates, name)


@export("compat.v1.nn.erosion2d")
@with_sections(_MORPHOLOGY)
def erosion2d(value, kernel, strides, rates, padding, name=None):
    """Computes the grey erosion of images.

    Args:
      value: Images, of rank 4, in the format "NHWC".
      kernel: The filter, of shape `[height, width, channels]`.

    >>> image = tf.reshape([1.0, 9.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> tf.compat.v1.nn.erosion2d(image, tf.zeros([2, 2, 1]), [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy().item()
    1.0
    """
    return morphology.erosion2d(value, kernel, strides, padding, "NHWC", rates, name)


@export("compat.v1.nn.conv2d")
@with_sections(
    _CONVOLUTION, images="Images, of rank 4", sizes="height, width", numbers="four",
    formats='"NHWC" or "NCHW"', rank="4",
)
def conv2d(
    input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC", dilations=(1, 1, 1, 1),
    name=None, filters=None,
):
    """Convolves images.

    Args:
      padding: "VALID", "SAME" to pad with zeros, or a list with a pair of numbers for each axis.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.compat.v1.nn.conv2d(
    ...     image, tf.ones([2, 2, 1, 1]), strides=[1, 1, 1, 1], padding="VALID"
    ... )[0, :, :, 0].numpy().tolist()
    [[8.0, 12.0], [20.0, 24.0]]
    """
    filters = either(filters, filter, "filters", "filter")
    return conv.conv2d(input, filters, strides, padding, data_format, list(dilations), name)


def _pool(function, public: str, node: str, example: str):
    def pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
        return function(either(value, input, "value", "input"), ksize, strides, padding, data_format, name or node)

    doc = f"""The same as `tf.nn.{function.__name__}`, with the arguments of TensorFlow 1.

    Args:
      input: The new name of `value`.

    Raises:
      ValueError: The images are given by both names.
    """
    exported = export_function(pool, f"compat.v1.nn.{public}", doc=inspect.cleandoc(doc), example=example)
    return with_sections(_POOLED)(exported)


max_pool = _pool(pooling.max_pool2d, "max_pool", "MaxPool", example="""
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.compat.v1.nn.max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0, :, :, 0].numpy().tolist()
    [[5.0, 7.0], [13.0, 15.0]]
""")
avg_pool = _pool(pooling.avg_pool2d, "avg_pool", "AvgPool", example="""
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.compat.v1.nn.avg_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0, :, :, 0].numpy().tolist()
    [[2.5, 4.5], [10.5, 12.5]]
""")
