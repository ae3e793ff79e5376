"""`tf.nn` with windows: convolutions, transposed convolutions, pooling.

One axis is two with a height of 1, as in TensorFlow; dilation and groups are attributes of the op itself, where TensorFlow
moves space to the batch. Strides, window sizes and dilations are one number, one for each spatial axis, or one for each
axis.
"""

from __future__ import annotations

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor

_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def _channels_first(data_format) -> bool:
    return data_format is not None and data_format.startswith("NC")


def _per_axis(value, spatial, first, what) -> list:
    """One number for each axis, batch and channels included."""
    if value is None:
        return [1] * (spatial + 2)
    value = [int(v) for v in (value if isinstance(value, (list, tuple, np.ndarray)) else [value])]
    if len(value) == spatial + 2:
        return value
    if len(value) == 1:
        value = value * spatial
    if len(value) != spatial:
        raise ValueError(
            f"{what} should be of length 1, {spatial} or {spatial + 2}. Received: {what}={value} of length {len(value)}"
        )
    return [1, 1, *value] if first else [1, *value, 1]


def _padding_attrs(padding, axes=4) -> dict:
    """`padding` as attributes: a name, or explicit pairs for each axis."""
    if isinstance(padding, (list, tuple)):
        for i, pair in enumerate(padding):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise ValueError(
                    f"When `padding` is a list, each element of `padding` must be a list/tuple of size 2. Received: "
                    f"padding={padding} with element at index {i} of type {type(pair)}"
                )
        if len(padding) != axes:
            raise ValueError(
                f"When padding is a list, it must be of size {axes}. Received: padding={padding} of size {len(padding)}"
            )
        return {"padding": "EXPLICIT", "explicit_paddings": [int(n) for pair in padding for n in pair]}
    name = str(padding).upper()
    if name == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list."
        )
    if name not in ("SAME", "VALID") and state.graph is None:  # a graph says it in its own way
        raise InvalidArgumentError(
            None,
            None,
            f'Value for attr \'padding\' of "{padding}" is not in the list of allowed values: "SAME", "VALID", "EXPLICIT"',
        )
    return {"padding": name}


def _format(data_format, spatial) -> str:
    last, first = _FORMATS[spatial]
    if data_format in (None, last, _FORMATS[2][0]):
        return last
    if data_format in (first, _FORMATS[2][1]):
        return first
    raise ValueError(f"`data_format` must be {last!r} or {first!r}. Received: data_format={data_format}")


def _expand(x, axis):
    return call("ExpandDims", (x, constant(axis)))


def _squeeze(x, axis):
    return call("Squeeze", (x,), {"squeeze_dims": [axis]})


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


# --- convolutions --------------------------------------------------------------------------------------------------------


def _convolve(x, w, strides, padding, data_format, dilations, name, spatial):
    x, w = convert_to_tensor(x), convert_to_tensor(w)
    data_format = _format(data_format, spatial)
    first = _channels_first(data_format)
    strides, dilations = (
        _per_axis(strides, spatial, first, "strides"),
        _per_axis(dilations, spatial, first, "dilations"),
    )
    if spatial == 1:
        return _convolve_1d(x, w, strides, padding, first, dilations, name)
    attrs = {
        "strides": strides,
        "dilations": dilations,
        "data_format": data_format,
        **_padding_attrs(padding, spatial + 2),
    }
    if spatial == 3 and "explicit_paddings" in attrs:
        raise ValueError(f"Explicit padding is not supported by 3-D convolutions. Received: padding={padding}")
    return _fold_batch(x, spatial + 1, lambda t: call(f"Conv{spatial}D", (t, w), attrs, name))


def _lift_padding(padding, first):
    if not isinstance(padding, (list, tuple)):
        return padding
    pairs = list(padding)
    return [*pairs[:2], (0, 0), pairs[2]] if first else [pairs[0], (0, 0), *pairs[1:]]


def _convolve_1d(x, w, strides, padding, first, dilations, name):
    attrs = {
        "strides": _height_one(strides, first),
        "dilations": _height_one(dilations, first),
        "data_format": _FORMATS[2][first],
        **_padding_attrs(_lift_padding(padding, first)),
    }
    axis = -2 if first else -3
    x, w = _expand(x, axis), _expand(w, 0)
    out = _fold_batch(x, 3, lambda t: call("Conv2D", (t, w), attrs, name))
    return _squeeze(out, out.shape.rank + axis)


def _height_one(values, first):
    """A list over the axes of a sequence, with a 1 for the height of an image put before the width."""
    return [*values[:2], 1, values[2]] if first else [values[0], 1, values[1], values[2]]


@export("nn.conv1d")
def conv1d(input, filters, stride, padding, data_format="NWC", dilations=None, name=None):  # noqa: A002
    """Convolve [batch, width, in] with [window, in, out].

    >>> conv1d(constant([[[1.0], [2.0], [3.0]]]), constant([[[1.0]], [[1.0]]]), 1, "VALID").numpy().ravel().tolist()
    [3.0, 5.0]
    """
    return _convolve(input, filters, stride, padding, data_format, dilations, name, 1)


@export("nn.conv2d")
def conv2d(input, filters, strides, padding, data_format="NHWC", dilations=None, name=None):  # noqa: A002
    """Convolve [batch, height, width, in] with [rows, columns, in, out].

    >>> x = constant([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    >>> conv2d(x, constant([[[[1.0]], [[1.0]]]]), 1, "VALID").numpy().ravel().tolist()
    [3.0, 7.0]
    """
    return _convolve(input, filters, strides, padding, data_format, dilations, name, 2)


@export("nn.conv3d")
def conv3d(input, filters, strides, padding, data_format="NDHWC", dilations=None, name=None):  # noqa: A002
    """Convolve [batch, depth, height, width, in] with [planes, rows, columns, in, out].

    >>> conv3d(constant([[[[[2.0]]]]]), constant([[[[[3.0]]]]]), [1] * 5, "SAME").numpy().item()
    6.0
    """
    return _convolve(input, filters, strides, padding, data_format, dilations, name, 3)


@export("nn.convolution")
def convolution(input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None):  # noqa: A002
    """Convolve over one, two or three axes, as the rank of the filter says.

    >>> convolution(constant([[[1.0], [2.0], [3.0]]]), constant([[[1.0]], [[1.0]]])).numpy().ravel().tolist()
    [3.0, 5.0]
    """
    x, w = convert_to_tensor(input), convert_to_tensor(filters)
    rank = w.shape.rank if w.shape.rank is not None else x.shape.rank
    if rank is None or not 3 <= rank <= 5:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={None if rank is None else rank - 2}."
        )
    first = _channels_first(data_format)
    if (
        max(_per_axis(strides, rank - 2, first, "strides")) > 1
        and max(_per_axis(dilations, rank - 2, first, "dilations")) > 1
    ):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={strides} and dilation_rate={dilations}"
        )
    return _convolve(x, w, strides, padding, data_format, dilations, name, rank - 2)


@export("nn.atrous_conv2d")
def atrous_conv2d(value, filters, rate, padding, name=None):
    """`conv2d` whose window has `rate - 1` gaps between its elements.

    >>> atrous_conv2d(constant([[[[1.0], [2.0], [3.0]]]]), constant([[[[1.0]], [[1.0]]]]), 2, "VALID").numpy().item()
    4.0
    """
    return _convolve(value, filters, 1, padding, "NHWC", rate, name, 2)


@export("nn.depthwise_conv2d")
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):  # noqa: A002
    """Convolve each channel on its own with a filter [rows, columns, in, multiplier].

    >>> depthwise_conv2d(constant([[[[2.0, 3.0]]]]), constant([[[[5.0], [7.0]]]]), [1] * 4, "SAME").numpy().ravel().tolist()
    [10.0, 21.0]
    """
    data_format = _format(data_format, 2)
    first = _channels_first(data_format)
    attrs = {
        "strides": _per_axis(strides, 2, first, "strides"),
        "dilations": _per_axis(dilations, 2, first, "dilations"),
        "data_format": data_format,
        **_padding_attrs(padding),
    }
    return call("DepthwiseConv2dNative", (convert_to_tensor(input), convert_to_tensor(filter)), attrs, name)


@export("nn.depthwise_conv2d_backprop_input")
def depthwise_conv2d_backprop_input(
    input_sizes,
    filter,
    out_backprop,
    strides,
    padding,
    data_format="NHWC",  # noqa: A002
    dilations=[1, 1, 1, 1],  # noqa: B006 - TensorFlow's signature, never written
    name=None,
):  # noqa: B006 - TensorFlow's signature
    """The gradient of `depthwise_conv2d` with respect to its input."""
    attrs = {
        "strides": list(strides),
        "dilations": list(dilations),
        "data_format": data_format,
        **_padding_attrs(padding),
    }
    inputs = _sizes(input_sizes), convert_to_tensor(filter), convert_to_tensor(out_backprop)
    return call("DepthwiseConv2dNativeBackpropInput", inputs, attrs, name)


@export("nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    data_format="NHWC",  # noqa: A002
    dilations=[1, 1, 1, 1],  # noqa: B006 - TensorFlow's signature, never written
    name=None,
):  # noqa: B006
    """The gradient of `depthwise_conv2d` with respect to its filter."""
    attrs = {
        "strides": list(strides),
        "dilations": list(dilations),
        "data_format": data_format,
        **_padding_attrs(padding),
    }
    inputs = convert_to_tensor(input), _sizes(filter_sizes), convert_to_tensor(out_backprop)
    return call("DepthwiseConv2dNativeBackpropFilter", inputs, attrs, name)


@export("nn.separable_conv2d")
def separable_conv2d(
    input,
    depthwise_filter,
    pointwise_filter,
    strides,
    padding,
    data_format=None,
    dilations=None,  # noqa: A002
    name=None,
):
    """A depthwise convolution, then a 1x1 convolution that mixes the channels.

    >>> one = constant([[[[1.0]]]])
    >>> separable_conv2d(constant([[[[2.0]]]]), one, one, [1] * 4, "SAME").numpy().item()
    2.0
    """
    x = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return _convolve(x, pointwise_filter, 1, "VALID", data_format, None, name, 2)


# --- transposed convolutions ---------------------------------------------------------------------------------------------


def _sizes(shape):
    if isinstance(shape, Tensor):
        return shape if shape.dtype is dtypes.int32 else call("Cast", (shape,), {"DstT": dtypes.int32})
    if hasattr(shape, "as_list"):
        shape = shape.as_list()
    return convert_to_tensor([int(s) if isinstance(s, np.integer) else s for s in shape], dtypes.int32)


def _transposed(x, w, output_shape, strides, padding, data_format, dilations, name, spatial):
    x, w = convert_to_tensor(x), convert_to_tensor(w)
    data_format = _format(data_format, spatial)
    first = _channels_first(data_format)
    strides, dilations = (
        _per_axis(strides, spatial, first, "strides"),
        _per_axis(dilations, spatial, first, "dilations"),
    )
    attrs = {
        "strides": strides,
        "dilations": dilations,
        "data_format": data_format,
        **_padding_attrs(padding, spatial + 2),
    }
    if spatial == 3:
        return call("Conv3DBackpropInputV2", (_sizes(output_shape), w, x), attrs, name)
    return call("Conv2DBackpropInput", (_sizes(output_shape), w, x), attrs, name)


@export("nn.conv1d_transpose")
def conv1d_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format="NWC",
    dilations=None,  # noqa: A002
    name=None,
):
    """The transpose of `conv1d`: its gradient, as an op of its own.

    >>> conv1d_transpose(constant([[[1.0]]]), constant([[[1.0]], [[2.0]]]), [1, 2, 1], 2).numpy().ravel().tolist()
    [1.0, 2.0]
    """
    x, w = convert_to_tensor(input), convert_to_tensor(filters)
    first = _channels_first(_format(data_format, 1))
    axis = 2 if first else 1
    sizes = _sizes(output_shape)
    parts = [
        call("StridedSlice", (sizes, constant([0]), constant([axis]), constant([1])), {"begin_mask": 1}),
        constant([1]),
        call("StridedSlice", (sizes, constant([axis]), constant([0]), constant([1])), {"end_mask": 1}),
    ]
    sizes = call("ConcatV2", (*parts, constant(0)), {"N": 3})
    strides = _height_one(_per_axis(strides, 1, first, "strides"), first)
    dilations = _height_one(_per_axis(dilations, 1, first, "dilations"), first)
    out = _transposed(
        _expand(x, axis),
        _expand(w, 0),
        sizes,
        strides,
        _lift_padding(padding, first),
        _FORMATS[2][first],
        dilations,
        name,
        2,
    )
    return _squeeze(out, axis)


@export("nn.conv2d_transpose")
def conv2d_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format="NHWC",
    dilations=None,  # noqa: A002
    name=None,
):
    """The transpose of `conv2d`, with a filter [rows, columns, out, in].

    >>> w = constant([[[[1.0]], [[3.0]]]])
    >>> conv2d_transpose(constant([[[[2.0]]]]), w, [1, 1, 2, 1], [1, 2]).numpy().ravel().tolist()
    [2.0, 6.0]
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, name, 2)


@export("nn.conv3d_transpose")
def conv3d_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format="NDHWC",
    dilations=None,  # noqa: A002
    name=None,
):
    """The transpose of `conv3d`.

    >>> conv3d_transpose(constant([[[[[2.0]]]]]), constant([[[[[3.0]]]]]), [1] * 5, 1).numpy().item()
    6.0
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, name, 3)


@export("nn.conv_transpose")
def conv_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format=None,
    dilations=None,  # noqa: A002
    name=None,
):
    """The transpose of `convolution` over one, two or three axes, as `output_shape` says.

    >>> conv_transpose(constant([[[1.0]]]), constant([[[1.0]], [[2.0]]]), [1, 2, 1], 2).numpy().ravel().tolist()
    [1.0, 2.0]
    """
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
    """The transpose of `atrous_conv2d`.

    >>> atrous_conv2d_transpose(constant([[[[2.0]]]]), constant([[[[3.0]]]]), [1] * 4, 2, "SAME").numpy().item()
    6.0
    """
    return _transposed(value, filters, output_shape, 1, padding, "NHWC", rate, name, 2)


# --- pooling -------------------------------------------------------------------------------------------------------------


def _pool(kind, x, ksize, strides, padding, data_format, name, spatial):
    x = convert_to_tensor(x)
    if spatial == 1:
        return _pool_1d(kind, x, ksize, strides, padding, data_format, name)
    data_format = _format(data_format, spatial)
    first = _channels_first(data_format)
    attrs = {
        "ksize": _per_axis(ksize, spatial, first, "ksize"),
        "strides": _per_axis(strides, spatial, first, "strides"),
        "data_format": data_format,
        **_padding_attrs(padding, spatial + 2),
    }
    if "explicit_paddings" in attrs and (kind == "Avg" or spatial == 3):
        raise ValueError(f"Explicit padding is not supported by this pooling. Received: padding={padding}")
    return call(f"{kind}Pool" + ("3D" if spatial == 3 else ""), (x,), attrs, name)


def _pool_1d(kind, x, ksize, strides, padding, data_format, name):
    first = _channels_first(_format(data_format, 1))
    axis = 2 if first else 1
    ksize = _height_one(_per_axis(ksize, 1, first, "ksize"), first)
    strides = _height_one(_per_axis(strides, 1, first, "strides"), first)
    out = _pool(kind, _expand(x, axis), ksize, strides, _lift_padding(padding, first), _FORMATS[2][first], name, 2)
    return _squeeze(out, axis)


def _by_rank(kind, x, ksize, strides, padding, data_format, name):
    x = convert_to_tensor(x)
    rank = x.shape.rank if x.shape.rank is not None else len(data_format or "")
    if not 3 <= rank <= 5:
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={x.shape} of rank {rank}.")
    return _pool(kind, x, ksize, strides, padding, data_format, name, rank - 2)


@export("nn.max_pool")
def max_pool(input, ksize, strides, padding, data_format=None, name=None):  # noqa: A002
    """The maximum of each window, over one, two or three axes.

    >>> max_pool(constant([[[[1.0], [2.0]], [[3.0], [4.0]]]]), 2, 2, "VALID").numpy().item()
    4.0
    """
    return _by_rank("Max", input, ksize, strides, padding, data_format, name)


@export("nn.max_pool1d")
def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):  # noqa: A002
    """The maximum of each window over one axis.

    >>> max_pool1d(constant([[[1.0], [3.0], [2.0]]]), 2, 1, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    return _pool("Max", input, ksize, strides, padding, data_format, name, 1)


@export("nn.max_pool2d")
def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):  # noqa: A002
    """The maximum of each window over two axes.

    >>> max_pool2d(constant([[[[1.0], [2.0]], [[3.0], [4.0]]]]), 2, 2, "VALID").numpy().item()
    4.0
    """
    return _pool("Max", input, ksize, strides, padding, data_format, name, 2)


@export("nn.max_pool3d")
def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):  # noqa: A002
    """The maximum of each window over three axes.

    >>> max_pool3d(constant([[[[[1.0], [2.0]]]]]), [1, 1, 2], 1, "VALID").numpy().item()
    2.0
    """
    return _pool("Max", input, ksize, strides, padding, data_format, name, 3)


@export("nn.avg_pool")
def avg_pool(input, ksize, strides, padding, data_format=None, name=None):  # noqa: A002
    """The mean of each window, over one, two or three axes; padding does not count.

    >>> avg_pool(constant([[[[1.0], [2.0]], [[3.0], [4.0]]]]), 2, 2, "VALID").numpy().item()
    2.5
    """
    return _by_rank("Avg", input, ksize, strides, padding, data_format, name)


@export("nn.avg_pool1d")
def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):  # noqa: A002
    """The mean of each window over one axis.

    >>> avg_pool1d(constant([[[1.0], [3.0]]]), 2, 1, "VALID").numpy().item()
    2.0
    """
    return _pool("Avg", input, ksize, strides, padding, data_format, name, 1)


@export("nn.avg_pool2d")
def avg_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):  # noqa: A002
    """The mean of each window over two axes.

    >>> avg_pool2d(constant([[[[1.0], [3.0]]]]), [1, 2], 1, "VALID").numpy().item()
    2.0
    """
    return _pool("Avg", input, ksize, strides, padding, data_format, name, 2)


@export("nn.avg_pool3d")
def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):  # noqa: A002
    """The mean of each window over three axes.

    >>> avg_pool3d(constant([[[[[1.0], [3.0]]]]]), [1, 1, 2], 1, "VALID").numpy().item()
    2.0
    """
    return _pool("Avg", input, ksize, strides, padding, data_format, name, 3)


@export("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input,
    ksize,
    strides,
    padding,
    data_format="NHWC",
    output_dtype=dtypes.int64,  # noqa: A002
    include_batch_in_index=False,
    name=None,
):
    """The maximum of each window and its flat index in the image.

    >>> [t.numpy().item() for t in max_pool_with_argmax(constant([[[[1.0], [2.0]], [[3.0], [4.0]]]]), 2, 2, "VALID")]
    [4.0, 3]
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    attrs = {
        "ksize": _per_axis(ksize, 2, False, "ksize"),
        "strides": _per_axis(strides, 2, False, "strides"),
        "Targmax": dtypes.as_dtype(output_dtype),
        "include_batch_in_index": bool(include_batch_in_index),
        **_padding_attrs(padding),
    }
    return tuple(call("MaxPoolWithArgmax", (convert_to_tensor(input),), attrs, name))


@export("nn.pool")
def pool(
    input,
    window_shape,
    pooling_type,
    strides=None,
    padding="VALID",
    data_format=None,
    dilations=None,  # noqa: A002
    name=None,
):
    """Pooling ("MAX" or "AVG") over as many axes as `window_shape` has entries; `dilations` puts gaps into the window.

    >>> pool(constant([[[1.0], [3.0], [2.0]]]), [2], "MAX").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    spatial = len(window_shape)
    if pooling_type not in ("MAX", "AVG") or not 1 <= spatial <= 3:
        raise ValueError(f"{spatial}-D {pooling_type} pooling is not supported.")
    kind = pooling_type.capitalize()
    dilations = [1] * spatial if dilations is None else [int(d) for d in np.broadcast_to(dilations, (spatial,))]
    strides = [1] * spatial if strides is None else [int(s) for s in np.broadcast_to(strides, (spatial,))]
    if all(d == 1 for d in dilations):
        return _pool(kind, input, list(window_shape), strides, padding, data_format, name, spatial)
    if any(s != 1 for s in strides):
        raise ValueError(
            f"`strides > 1` not supported in conjunction with `dilations > 1`. Received: strides={strides} and "
            f"dilations={dilations}"
        )
    if str(padding).upper() == "SAME":
        raise ValueError(
            f"pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: padding={padding} and "
            f"dilation_rate={dilations}"
        )
    return _dilated_pool(kind, convert_to_tensor(input), window_shape, data_format, dilations, name)


def _dilated_pool(kind, x, window, data_format, dilations, name):
    """The maximum or sum of shifted slices, one for each place in the window."""
    first = _channels_first(data_format)
    spatial = len(window)
    dims = x.shape.as_list()
    start = 2 if first else 1
    sizes = [dims[start + i] - (window[i] - 1) * dilations[i] for i in range(spatial)]
    total = None
    for tap in np.ndindex(*window):
        begin, size = [0] * (spatial + 2), [-1] * (spatial + 2)
        for i, t in enumerate(tap):
            begin[start + i], size[start + i] = t * dilations[i], sizes[i]
        part = call("Slice", (x, constant(begin), constant(size)))
        total = part if total is None else call("Maximum" if kind == "Max" else "AddV2", (total, part), label=name)
    if kind == "Max":
        return total
    return call("RealDiv", (total, constant(int(np.prod(window)), x.dtype)), label=name)
