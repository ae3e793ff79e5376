"""`tf.nn`: transposed convolutions."""

from __future__ import annotations

from collections.abc import Callable

from reflow.api.call import call
from reflow.api.export import Made, export, with_sections
from reflow.api.nn.windows import (
    PADDING,
    PADDING_3D,
    channels_first,
    expand,
    full_format,
    sizes_operand,
    squeeze,
    window_attrs,
)
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


def _transposed(x, w, output_shape, strides, padding, data_format, dilations, name, spatial):
    x, w = convert_to_tensor(x), convert_to_tensor(w)
    attrs = window_attrs(spatial, padding, data_format, strides=strides, dilations=dilations)
    op = "Conv3DBackpropInputV2" if spatial == 3 else "Conv2DBackpropInput"
    return call(op, (sizes_operand(output_shape), w, x), attrs, name)


_STEPS = "The steps of the window of that convolution: one number, one per spatial axis, or one per axis"
_GAPS = "The steps between the elements of the filter, given like `strides`"


def _described(padding: str, formats: str, strides: str = _STEPS, dilations: str = _GAPS) -> Callable[[Made], Made]:
    """A decorator that adds the sections of a transposed convolution to its docstring."""
    return with_sections(f"""\
Args:
  output_shape: The shape of the result, numbers or a vector tensor.
  strides: {strides}.
  padding: {padding}.
  data_format: {formats}.
  dilations: {dilations}; 1 by default.
  name: A name for the operation.

Returns:
  A tensor of shape `output_shape` and the dtype of `input`.

Raises:
  InvalidArgumentError: A convolution of `output_shape` would not give the shape of the input.
""")


@export("nn.conv1d_transpose")
@_described(
    PADDING, '`"NWC"` or `"NCW"`', strides="The step of the window of that convolution",
    dilations="The step between the elements of the filter",
)
def conv1d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None
):
    """Applies the transpose of `conv1d`: the gradient of that convolution with respect to its input.

    Args:
      input: A tensor [batch, width, in], or [batch, in, width] for `"NCW"`.
      filters: The filter, [window, out, in], of the same dtype.
    >>> conv1d_transpose(constant([[[1.0]]]), constant([[[1.0]], [[2.0]]]), [1, 2, 1], 2).numpy().ravel().tolist()
    [1.0, 2.0]
    """
    x, w = convert_to_tensor(input), convert_to_tensor(filters)
    axis = 2 if channels_first(full_format(data_format, 1)) else 1
    sizes = sizes_operand(output_shape)
    parts = [
        call("StridedSlice", (sizes, constant([0]), constant([axis]), constant([1])), {"begin_mask": 1}),
        constant([1]),
        call("StridedSlice", (sizes, constant([axis]), constant([0]), constant([1])), {"end_mask": 1}),
    ]
    sizes = call("ConcatV2", (*parts, constant(0)), {"N": 3})
    attrs = window_attrs(1, padding, data_format, strides=strides, dilations=dilations)
    x, w = expand(x, axis), expand(w, 0)
    out = call("Conv2DBackpropInput", (sizes, w, x), attrs, name)
    return squeeze(out, axis)


@export("nn.conv2d_transpose")
@_described(PADDING, '`"NHWC"` or `"NCHW"`')
def conv2d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NHWC", dilations=None, name=None
):
    """Applies the transpose of `conv2d`: the gradient of that convolution with respect to its input.

    Args:
      input: Images [batch, height, width, in], or [batch, in, height, width] for `"NCHW"`.
      filters: The filter, [rows, columns, out, in], of the same dtype.
    >>> w = constant([[[[1.0]], [[3.0]]]])
    >>> conv2d_transpose(constant([[[[2.0]]]]), w, [1, 1, 2, 1], [1, 2]).numpy().ravel().tolist()
    [2.0, 6.0]
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, name, 2)


@export("nn.conv3d_transpose")
@_described(PADDING_3D, '`"NDHWC"` or `"NCDHW"`')
def conv3d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NDHWC", dilations=None, name=None
):
    """Applies the transpose of `conv3d`: the gradient of that convolution with respect to its input.

    Args:
      input: Volumes [batch, depth, height, width, in], or [batch, in, depth, height, width] for `"NCDHW"`.
      filters: The filter, [planes, rows, columns, out, in], of the same dtype.
    >>> conv3d_transpose(constant([[[[[2.0]]]]]), constant([[[[[3.0]]]]]), [1] * 5, 1).numpy().item()
    6.0
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, name, 3)


@export("nn.conv_transpose")
@_described(
    f"{PADDING_3D}; over one or two axes also a list of pairs of numbers, one pair for each axis",
    '`"NWC"`, `"NCW"`, `"NHWC"`, `"NCHW"`, `"NDHWC"` or `"NCDHW"`; by default channels are last',
)
def conv_transpose(input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None):
    """Applies the transpose of `convolution` over one, two or three axes, depending on `output_shape`.

    Args:
      input: A tensor [batch, spatial axes, in], or [batch, in, spatial axes] if `data_format` begins with `"NC"`.
      filters: The filter, [window, out, in], of the same dtype.
    Raises:
      ValueError: `output_shape` has not 3, 4 or 5 elements.

    >>> conv_transpose(constant([[[1.0]]]), constant([[[1.0]], [[2.0]]]), [1, 2, 1], 2).numpy().ravel().tolist()
    [1.0, 2.0]
    """
    if not isinstance(output_shape, Tensor) and not hasattr(output_shape, "__len__"):
        raise ValueError(f"`output_shape` must be a tensor or sized collection. Received: output_shape={output_shape}")
    count = output_shape.shape[0] if isinstance(output_shape, Tensor) else len(output_shape)
    functions = {3: conv1d_transpose, 4: conv2d_transpose, 5: conv3d_transpose}
    if count not in functions:
        raise ValueError(
            f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape} of length {count}."
        )
    default = {3: "NWC", 4: "NHWC", 5: "NDHWC"}[count]
    return functions[count](input, filters, output_shape, strides, padding, data_format or default, dilations, name)


@export("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """Applies the transpose of `atrous_conv2d`.

    Args:
      value: Images [batch, height, width, in].
      filters: The filter, [rows, columns, out, in], of the same dtype.
      output_shape: The shape of the result, numbers or a vector tensor.
      rate: The step between the elements of the filter.
      padding: `"SAME"`, `"VALID"`, or a list of pairs of numbers, one pair for each axis, batch and channels included.
      name: A name for the operation.

    Returns:
      A tensor of shape `output_shape` and the dtype of `value`.

    Raises:
      InvalidArgumentError: A convolution of `output_shape` would not give the shape of the input.

    >>> atrous_conv2d_transpose(constant([[[[2.0]]]]), constant([[[[3.0]]]]), [1] * 4, 2, "SAME").numpy().item()
    6.0
    """
    return _transposed(value, filters, output_shape, 1, padding, "NHWC", rate, name, 2)
