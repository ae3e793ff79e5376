"""`tf.nn`: convolutions over one, two or three axes, depthwise and separable ones."""

from __future__ import annotations

from reflow.api.call import call, same_dtype
from reflow.api.export import export, export_function, with_sections
from reflow.api.nn.windows import PADDING, PADDING_3D, channels_first, expand, per_axis, squeeze, window_attrs
from reflow.api.scoped import scoped
from reflow.ops.convert import constant, convert_to_tensor


def _fold_batch(x, inner, run):
    """Run on x with all but the last `inner` axes as one, and unfold the result."""
    if x.shape.rank is None or x.shape.rank <= inner + 1:
        return run(x)
    shape = call("Shape", (x,))
    lead = call("StridedSlice", (shape, constant([0]), constant([-inner]), constant([1])), {"begin_mask": 1})

    def tail(t):
        dims = call("Shape", (t,))
        return call("StridedSlice", (dims, constant([-inner]), constant([0]), constant([1])), {"end_mask": 1})

    flat = call("Reshape", (x, call("ConcatV2", (constant([-1]), tail(x), constant(0)), {"N": 2})))
    out = run(flat)
    return call("Reshape", (out, call("ConcatV2", (lead, tail(out), constant(0)), {"N": 2})))


def _convolve(x, w, strides, padding, data_format, dilations, name, spatial):
    x, w = convert_to_tensor(x), convert_to_tensor(w)
    attrs = window_attrs(spatial, padding, data_format, strides=strides, dilations=dilations)
    if spatial == 3 and "explicit_paddings" in attrs:
        raise ValueError(f"Explicit padding is not supported by 3-D convolutions. Received: padding={padding}")
    if spatial > 1:
        return _fold_batch(x, spatial + 1, lambda t: call(f"Conv{spatial}D", (t, w), attrs, name))
    # from the end: several axes of a batch may come before it
    axis = -2 if channels_first(attrs["data_format"]) else -3
    x, w = expand(x, axis), expand(w, 0)
    out = _fold_batch(x, 3, lambda t: call("Conv2D", (t, w), attrs, name))
    return squeeze(out, out.shape.rank + axis)


#: the arguments of a window, in docstrings
_WINDOW = """\
  strides: The steps of the window: one number, one per spatial axis, or one per axis.
  padding: {padding}.
  data_format: {formats}.
  dilations: The steps between the elements of the filter, given like `strides`; 1 by default.
  name: A name for the operation.
"""
_with_depthwise_window = with_sections(
    "Args:\n" + _WINDOW.format(padding=PADDING, formats='`"NHWC"`, the default, or `"NCHW"`')
)


@export("nn.conv1d")
@scoped("conv1d")
def conv1d(input, filters, stride, padding, data_format="NWC", dilations=None, name=None):
    """Convolves sequences with a filter.

    Args:
      input: A tensor [batch…, width, in], or [batch…, in, width] for `"NCW"`.
      filters: The filter, [window, in, out], of the same dtype.
      stride: The step of the window.
      padding: `"SAME"`, `"VALID"`, or a list of pairs of numbers, one pair for each axis, batch and channels included.
      data_format: `"NWC"` or `"NCW"`.
      dilations: The step between the elements of the filter; 1 by default.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, with the channels `out` and the width that is left.

    Raises:
      InvalidArgumentError: The channels of `input` and `filters` do not fit.
      ValueError: `stride`, `padding` or `dilations` has the wrong length, or there is no such `data_format`.

    >>> conv1d(constant([[[1.0], [2.0], [3.0]]]), constant([[[1.0]], [[1.0]]]), 1, "VALID").numpy().ravel().tolist()
    [3.0, 5.0]
    """
    return _convolve(input, filters, stride, padding, data_format, dilations, name, 1)


def _convolution(spatial: int, what: str, axes: str, window: str, format: str, padding: str, error: str, example: str):
    """A public convolution over two or three axes; `format` is the order of axes by default."""

    def function(input, filters, strides, padding, data_format=format, dilations=None, name=None):
        return _convolve(input, filters, strides, padding, data_format, dilations, name, spatial)

    first = f"NC{format[1:-1]}"
    doc = f"""Convolves {what} with a filter.

Args:
  input: {what.capitalize()} [batch…, {axes}, in], or [batch…, in, {axes}] for `"{first}"`.
  filters: The filter, [{window}, in, out], of the same dtype.
{_WINDOW.format(padding=padding, formats=f'`"{format}"` or `"{first}"`')}
Returns:
  A tensor of the same dtype, with the channels `out` and the {" and ".join(axes.rsplit(", ", 1))} that are left.

Raises:
  InvalidArgumentError: The channels of `input` and `filters` do not fit.
  ValueError: {error} has the wrong length, or there is no such `data_format`.
"""
    return export_function(function, f"nn.conv{spatial}d", doc=doc, example=example)


conv2d = _convolution(
    2, "images", "height, width", "rows, columns", "NHWC", PADDING, "`strides`, `padding` or `dilations`",
    """
    >>> x = constant([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    >>> conv2d(x, constant([[[[1.0]], [[1.0]]]]), 1, "VALID").numpy().ravel().tolist()
    [3.0, 7.0]
    """,
)
conv3d = _convolution(
    3, "volumes", "depth, height, width", "planes, rows, columns", "NDHWC", PADDING_3D,
    "`padding` is a list, `strides` or `dilations`",
    """
    >>> conv3d(constant([[[[[2.0]]]]]), constant([[[[[3.0]]]]]), [1] * 5, "SAME").numpy().item()
    6.0
    """,
)


@export("nn.convolution")
@scoped("convolution", result=True)
def convolution(input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    """Convolves over one, two or three axes, depending on the rank of the filter.

    Args:
      input: A tensor [batch…, spatial axes, in], or with `in` before the spatial axes if `data_format` begins with
        `"NC"`.
      filters: The filter, [window, in, out], where the window has one, two or three axes.
      strides: The steps of the window: one number, or one per spatial axis; 1 by default.
      padding: `"SAME"` or `"VALID"`; over one or two axes also a list of pairs of numbers, one pair for each axis.
      data_format: `"NWC"`, `"NCW"`, `"NHWC"`, `"NCHW"`, `"NDHWC"` or `"NCDHW"`; by default channels are last.
      dilations: The steps between the elements of the filter, given like `strides`; 1 by default.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, with the channels `out` and the spatial sizes that are left.

    Raises:
      ValueError: The filter's rank is not 3 to 5, or both `strides` and `dilations` are greater than 1.

    >>> convolution(constant([[[1.0], [2.0], [3.0]]]), constant([[[1.0]], [[1.0]]])).numpy().ravel().tolist()
    [3.0, 5.0]
    """
    x, w = convert_to_tensor(input), convert_to_tensor(filters)
    rank = w.shape.rank if w.shape.rank is not None else x.shape.rank
    if rank is None or not 3 <= rank <= 5:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={None if rank is None else rank - 2}."
        )
    first = channels_first(data_format)
    if (
        max(per_axis(strides, rank - 2, first, "strides")) > 1
        and max(per_axis(dilations, rank - 2, first, "dilations")) > 1
    ):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={strides} and dilation_rate={dilations}"
        )
    return _convolve(x, w, strides, padding, data_format, dilations, name, rank - 2)


@export("nn.atrous_conv2d")
def atrous_conv2d(value, filters, rate, padding, name=None):
    """Convolves images with a filter that has `rate - 1` gaps between its elements.

    Args:
      value: Images [batch…, height, width, in].
      filters: The filter, [rows, columns, in, out], of the same dtype.
      rate: The step between the elements of the filter.
      padding: `"SAME"`, `"VALID"`, or a list of pairs of numbers, one pair for each axis, batch and channels included.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, with the channels `out` and the height and width that are left.

    >>> atrous_conv2d(constant([[[[1.0], [2.0], [3.0]]]]), constant([[[[1.0]], [[1.0]]]]), 2, "VALID").numpy().item()
    4.0
    """
    return _convolve(value, filters, 1, padding, "NHWC", rate, name, 2)


@export("nn.depthwise_conv2d")
@_with_depthwise_window
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):
    """Convolves each channel of images separately.

    Args:
      input: Images [batch, height, width, in], or [batch, in, height, width] for `"NCHW"`.
      filter: The filter, [rows, columns, in, multiplier], of the same dtype.

    Returns:
      A tensor of the same dtype with `in * multiplier` channels, those of the first input channel first.

    Raises:
      ValueError: `strides`, `padding` or `dilations` has the wrong length, or a dilation is not positive.

    >>> depthwise_conv2d(
    ...     constant([[[[2.0, 3.0]]]]), constant([[[[5.0], [7.0]]]]), [1] * 4, "SAME"
    ... ).numpy().ravel().tolist()
    [10.0, 21.0]
    """
    attrs = window_attrs(2, padding, data_format, strides=strides, dilations=dilations)
    if min(attrs["dilations"]) <= 0:
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={dilations}")
    return call("DepthwiseConv2dNative", (convert_to_tensor(input), convert_to_tensor(filter)), attrs, name)


@export("nn.separable_conv2d")
@scoped("separable_conv2d", result=True)
@_with_depthwise_window
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None, name=None
):
    """Convolves each channel separately, then mixes the channels with a 1x1 convolution.

    Args:
      input: Images [batch, height, width, in], or [batch, in, height, width] for `"NCHW"`.
      depthwise_filter: The filter of each channel, [rows, columns, in, multiplier].
      pointwise_filter: The filter that mixes the channels, [1, 1, in * multiplier, out].

    Returns:
      A tensor of the same dtype, with the channels `out` and the height and width that are left.

    Raises:
      ValueError: `strides`, `padding` or `dilations` has the wrong length, or a dilation is not positive.

    >>> one = constant([[[[1.0]]]])
    >>> separable_conv2d(constant([[[[2.0]]]]), one, one, [1] * 4, "SAME").numpy().item()
    2.0
    """
    x = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return _convolve(x, pointwise_filter, 1, "VALID", data_format, None, name, 2)


@export("conv")
def conv(
    input, filter, strides, padding, explicit_paddings=(), data_format="CHANNELS_LAST", dilations=(), batch_dims=1,
    groups=1, name=None,
):
    """Convolves over two or three axes, as many as the filter has.

    Args:
      input: A tensor [batch…, spatial axes, channels].
      filter: A tensor [spatial axes, channels / groups, output channels].
      strides: A number for each axis of [batch, spatial axes, channels].
      padding: `"SAME"`, `"VALID"` or `"EXPLICIT"`.
      explicit_paddings: For `"EXPLICIT"`, two numbers for each axis, in one flat list.
      data_format: `"CHANNELS_LAST"` or `"CHANNELS_FIRST"`.
      dilations: The steps between the filter's elements, a number for each axis; empty for 1.
      batch_dims: How many axes of the input are the batch.
      groups: How many groups of channels there are; 1 means as many as channels and filter say.
      name: A name for the operation.

    Returns:
      A tensor with the rank of the input.

    >>> tf.conv(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "VALID").numpy().ravel().tolist()
    [4.0, 4.0, 4.0, 4.0]
    """
    attrs = {
        "strides": list(strides), "padding": padding, "explicit_paddings": list(explicit_paddings),
        "data_format": data_format, "dilations": list(dilations), "batch_dims": batch_dims, "groups": groups,
    }
    return call("Conv", tuple(same_dtype(input, filter)), attrs, name)
