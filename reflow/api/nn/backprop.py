"""Gradients of convolutions as functions: `tf.conv2d_backprop_input_v2`, `tf.nn.depthwise_conv2d_backprop_filter`, …"""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export, export_function, with_sections
from reflow.api.nn.windows import PADDING, padding_attrs, sizes_operand
from reflow.ops.convert import convert_to_tensor


def _attrs(strides, padding, explicit_paddings, data_format, dilations) -> dict:
    return {
        "strides": list(strides),
        "padding": padding,
        "explicit_paddings": list(explicit_paddings),
        "data_format": data_format,
        "dilations": list(dilations),
    }


_EXPLICIT = """\
  use_cudnn_on_gpu: Has no effect.
  explicit_paddings: For `"EXPLICIT"`, two numbers for each axis, in one flat list.
"""


_INPUT = "input: The input of the convolution"


def _sections(first: str, second: str, result: str, padding: str = PADDING, more: str = "") -> str:
    """What the docstring of a gradient says of its arguments and of its result."""
    return f"""\
Args:
  {first}.
  {second}.
  out_backprop: The gradient of the convolution's output.
  strides: The steps of the window, one for each axis.
  padding: {padding}.
{more}  data_format: `"NHWC"` or `"NCHW"`.
  dilations: The steps between the elements of the filter, one for each axis.
  name: A name for the operation.

Returns:
  {result}.
"""


def _conv2d_backprop(op_name: str, public: str, operands, of: str, first: str, second: str, result: str, example: str):
    def function(
        input, filter, out_backprop, strides, padding, use_cudnn_on_gpu=True, explicit_paddings=(), data_format="NHWC",
        dilations=(1, 1, 1, 1), name=None,
    ):
        inputs = (*operands(convert_to_tensor(input), convert_to_tensor(filter)), convert_to_tensor(out_backprop))
        attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
        return call(op_name, inputs, {**attrs, "use_cudnn_on_gpu": bool(use_cudnn_on_gpu)}, name)

    sections = _sections(first, second, result, padding='`"SAME"`, `"VALID"` or `"EXPLICIT"`', more=_EXPLICIT)
    doc = f"Computes the gradient of a 2-D convolution with respect to its {of}.\n\n{sections}"
    return export_function(function, public, doc=doc, example=example)


conv2d_backprop_input_v2 = _conv2d_backprop(
    "Conv2DBackpropInput",
    "conv2d_backprop_input_v2",
    lambda image, filter: (call("Shape", (image,)), filter),
    of="input",
    first="input: A tensor of the shape of the convolution's input; only its shape is read",
    second="filter: The filter, [rows, columns, in, out]",
    result="A tensor of the shape of `input` and the dtype of `filter`",
    example="""
    >>> x, w = tf.zeros([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.conv2d_backprop_input_v2(x, w, tf.ones([1, 2, 2, 1]), [1] * 4, "VALID").numpy()[0, :, :, 0].tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """,
)
conv2d_backprop_filter_v2 = _conv2d_backprop(
    "Conv2DBackpropFilter",
    "conv2d_backprop_filter_v2",
    lambda image, filter: (image, call("Shape", (filter,))),
    of="filter",
    first=_INPUT,
    second="filter: A tensor of the shape of the filter, [rows, columns, in, out]; only its shape is read",
    result="A tensor of the shape of `filter` and the dtype of `input`",
    example="""
    >>> x, w = tf.ones([1, 3, 3, 1]), tf.zeros([2, 2, 1, 1])
    >>> tf.conv2d_backprop_filter_v2(x, w, tf.ones([1, 2, 2, 1]), [1] * 4, "VALID").numpy().ravel().tolist()
    [4.0, 4.0, 4.0, 4.0]
    """,
)


_ONES = [1, 1, 1, 1]  # TensorFlow's default; never written


def _depthwise_attrs(strides, dilations, data_format, padding) -> dict:
    sizes = {"strides": list(strides), "dilations": list(dilations)}
    return {**sizes, "data_format": data_format, **padding_attrs(padding)}


@export("nn.depthwise_conv2d_backprop_input")
@with_sections(_sections(
    "input_sizes: The shape of the convolution's input", "filter: The filter, [rows, columns, in, multiplier]",
    "A tensor of shape `input_sizes` and the dtype of `filter`",
))
def depthwise_conv2d_backprop_input(
    input_sizes, filter, out_backprop, strides, padding, data_format="NHWC", dilations=_ONES, name=None
):
    """Computes the gradient of `depthwise_conv2d` with respect to its input.

    >>> w, g = tf.fill([1, 1, 1, 1], 3.0), tf.ones([1, 1, 2, 1])
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 1, 2, 1], w, g, [1] * 4, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    attrs = _depthwise_attrs(strides, dilations, data_format, padding)
    inputs = sizes_operand(input_sizes), convert_to_tensor(filter), convert_to_tensor(out_backprop)
    return call("DepthwiseConv2dNativeBackpropInput", inputs, attrs, name)


@export("nn.depthwise_conv2d_backprop_filter")
@with_sections(_sections(
    _INPUT, "filter_sizes: The shape of the filter, [rows, columns, in, multiplier]",
    "A tensor of shape `filter_sizes` and the dtype of `input`",
))
def depthwise_conv2d_backprop_filter(
    input, filter_sizes, out_backprop, strides, padding, data_format="NHWC", dilations=_ONES, name=None
):
    """Computes the gradient of `depthwise_conv2d` with respect to its filter.

    >>> x, g = tf.ones([1, 2, 2, 1]), tf.ones([1, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d_backprop_filter(x, [1, 1, 1, 1], g, [1] * 4, "VALID").numpy().item()
    4.0
    """
    attrs = _depthwise_attrs(strides, dilations, data_format, padding)
    inputs = convert_to_tensor(input), sizes_operand(filter_sizes), convert_to_tensor(out_backprop)
    return call("DepthwiseConv2dNativeBackpropFilter", inputs, attrs, name)
