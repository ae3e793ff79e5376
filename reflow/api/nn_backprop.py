"""The gradients of a convolution as functions: `tf.conv2d_backprop_input_v2`, `tf.conv2d_backprop_filter_v2`."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.ops.convert import convert_to_tensor


def _attrs(strides, padding, explicit_paddings, data_format, dilations) -> dict:
    return {
        "strides": list(strides),
        "padding": padding,
        "explicit_paddings": list(explicit_paddings),
        "data_format": data_format,
        "dilations": list(dilations),
    }


@export("conv2d_backprop_input_v2")
def conv2d_backprop_input_v2(
    input,  # noqa: A002
    filter,  # noqa: A002
    out_backprop,
    strides,
    padding,
    use_cudnn_on_gpu=True,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
):
    """The gradient of a 2-D convolution with respect to its input, of which only the shape is read.

    >>> import reflow as tf
    >>> x, w = tf.zeros([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.conv2d_backprop_input_v2(x, w, tf.ones([1, 2, 2, 1]), [1] * 4, "VALID").numpy()[0, :, :, 0].tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    sizes = call("Shape", (convert_to_tensor(input),))
    inputs = (sizes, convert_to_tensor(filter), convert_to_tensor(out_backprop))
    attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
    return call("Conv2DBackpropInput", inputs, {**attrs, "use_cudnn_on_gpu": bool(use_cudnn_on_gpu)}, name)


@export("conv2d_backprop_filter_v2")
def conv2d_backprop_filter_v2(
    input,  # noqa: A002
    filter,  # noqa: A002
    out_backprop,
    strides,
    padding,
    use_cudnn_on_gpu=True,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
):
    """The gradient of a 2-D convolution with respect to its filter, of which only the shape is read."""
    sizes = call("Shape", (convert_to_tensor(filter),))
    inputs = (convert_to_tensor(input), sizes, convert_to_tensor(out_backprop))
    attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
    return call("Conv2DBackpropFilter", inputs, {**attrs, "use_cudnn_on_gpu": bool(use_cudnn_on_gpu)}, name)
