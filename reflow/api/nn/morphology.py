"""`tf.nn.dilation2d` and `tf.nn.erosion2d`: grayscale morphology."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from reflow.api.call import call
from reflow.api.export import Made, export_function
from reflow.ops.convert import constant, convert_to_tensor


def _only_channels_last(data_format):
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )


_MORPHOLOGY = """\
Args:
  {image}: Images [batch, height, width, channels].
  filters: The filter, [rows, columns, channels].
  strides: The steps of the window, four numbers, those for batch and channels 1.
  padding: `"SAME"` or `"VALID"`.
  data_format: `"NHWC"`.
  dilations: The steps between the elements of the filter, four numbers, those for batch and channels 1.
  name: A name for the operation.

Returns:
  A tensor of the same dtype, [batch, height, width, channels] with the height and width that are left.

Raises:
  ValueError: `data_format` is not `"NHWC"`.
"""


def _morphology(image: str, result: list) -> Callable[[Made], Made]:
    """A decorator that exports a function, and puts the sections and the example of both into its docstring."""

    def exported(function):
        name = function.__name__
        doc = f"{inspect.getdoc(function) or ''}\n\n{_MORPHOLOGY.format(image=image)}"
        example = f"""
        >>> x = tf.reshape([1., 5., 2.], [1, 1, 3, 1])
        >>> tf.nn.{name}(x, tf.zeros([1, 2, 1]), [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1]).numpy().ravel().tolist()
        {result}
        """
        return export_function(function, f"nn.{name}", doc=doc, example=example)

    return exported


@_morphology("input", [5.0, 5.0])
def dilation2d(input, filters, strides, padding, data_format, dilations, name=None):
    """Dilates grayscale images: each result is the greatest sum of a pixel and the filter's value there, over a window.
    """
    _only_channels_last(data_format)
    image = convert_to_tensor(input)
    attrs = {"strides": list(strides), "rates": list(dilations), "padding": padding}
    return call("Dilation2D", (image, convert_to_tensor(filters, image.dtype)), attrs, name)


@_morphology("value", [1.0, 2.0])
def erosion2d(value, filters, strides, padding, data_format, dilations, name=None):
    """Erodes grayscale images: each result is the least difference of a pixel and the reflected filter's value there.
    """
    image = convert_to_tensor(value)
    reflected = call("ReverseV2", (convert_to_tensor(filters, image.dtype), constant([0, 1])))
    return call(
        "Neg", (dilation2d(call("Neg", (image,)), reflected, strides, padding, data_format, dilations),), {}, name
    )
