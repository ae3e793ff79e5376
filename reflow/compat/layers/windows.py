"""Convolutions and pooling."""

from __future__ import annotations

import inspect
from typing import ClassVar

from reflow.api.array import arrange
from reflow.api.export import export, export_function, with_sections
from reflow.api.initializers import Zeros
from reflow.api.nn import conv, conv_transpose, pool, statistics
from reflow.compat.layers.base import WEIGHTED, Layer, arguments_of
from reflow.compat.layers.identifiers import activation_of


def _tuple(value, rank: int) -> tuple:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def _layout(data_format: str, rank: int) -> str:
    """The name by which ops know a layout."""
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            f"The `data_format` argument must be one of 'channels_first', 'channels_last'. Received: {data_format}"
        )
    space = {1: "W", 2: "HW", 3: "DHW"}[rank]
    return f"N{space}C" if data_format == "channels_last" else f"NC{space}"


class _Conv(Layer):
    """A convolution over `rank` dimensions."""

    rank: ClassVar[int] = 2

    def __init__(
        self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1,
        activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros, kernel_regularizer=None,
        bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True,
        name=None, **kwargs,
    ):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters, self.kernel_size = filters, _tuple(kernel_size, self.rank)
        self.strides, self.dilation_rate = _tuple(strides, self.rank), _tuple(dilation_rate, self.rank)
        self.padding, self.data_format, self.use_bias = padding, data_format, use_bias
        self.activation = activation_of(activation)
        self._layout = _layout(data_format, self.rank)
        self._kernel = kernel_initializer, kernel_regularizer, kernel_constraint
        self._bias = bias_initializer, bias_regularizer, bias_constraint
        self.kernel = self.bias = None

    def _channels(self, shape) -> int:
        depth = shape[-1 if self.data_format == "channels_last" else 1]
        if depth is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        return int(depth)

    def _kernel_shape(self, depth: int) -> list:
        return [*self.kernel_size, depth, self.filters]

    def build(self, input_shape):
        initializer, regularizer, constraint = self._kernel
        shape = self._kernel_shape(self._channels(input_shape))
        self.kernel = self.add_weight(
            "kernel", shape, initializer=initializer, regularizer=regularizer, constraint=constraint
        )
        self._build_bias()
        self.built = True

    def _build_bias(self):
        if self.use_bias:
            initializer, regularizer, constraint = self._bias
            self.bias = self.add_weight(
                "bias", [self.filters], initializer=initializer, regularizer=regularizer, constraint=constraint
            )

    def _convolved(self, inputs):
        return conv.convolution(
            inputs, self.kernel, self.strides, self.padding.upper(), self._layout, self.dilation_rate
        )

    def call(self, inputs):
        outputs = self._convolved(inputs)
        if self.use_bias:
            outputs = statistics.bias_add(outputs, self.bias, self._layout)
        return outputs if self.activation is None else self.activation(outputs)


_CONVOLUTION = f"""\
{WEIGHTED}\
  filters: The number of channels of the result.
  kernel_size: The size of the window, an int or one for each spatial axis.
  strides: How far the window moves at a time, an int or one for each spatial axis.
  padding: "valid", or "same" to pad with zeros.
  data_format: "channels_last" or "channels_first".
  dilation_rate: {{dilation}}.
"""


@export("compat.v1.layers.Conv1D")
@with_sections(_CONVOLUTION, dilation="The distance of the elements of a window, an int or one for each spatial axis")
class Conv1D(_Conv):
    """A convolution over sequences.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.Conv1D(4, 3)(tf.zeros([2, 9, 1])).shape
    TensorShape([2, 7, 4])
    """

    rank = 1


@export("compat.v1.layers.Conv2D")
@with_sections(_CONVOLUTION, dilation="The distance of the elements of a window, an int or one for each spatial axis")
class Conv2D(_Conv):
    """A convolution over images.

    >>> with tf.Graph().as_default():
    ...     layer = tf.compat.v1.layers.Conv2D(4, 3, padding="same", name="first")
    ...     outputs = layer(tf.zeros([2, 9, 9, 1]))
    >>> outputs.shape, layer.kernel.name
    (TensorShape([2, 9, 9, 4]), 'first/kernel:0')
    """

    rank = 2


@export("compat.v1.layers.Conv3D")
@with_sections(_CONVOLUTION, dilation="The distance of the elements of a window, an int or one for each spatial axis")
class Conv3D(_Conv):
    """A convolution over volumes.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.Conv3D(4, 3, strides=2)(tf.zeros([2, 9, 9, 9, 1])).shape
    TensorShape([2, 4, 4, 4, 4])
    """

    rank = 3


class _Transpose(_Conv):
    """The transpose of a convolution over `rank` dimensions."""

    def _kernel_shape(self, depth):
        return [*self.kernel_size, self.filters, depth]

    def _convolved(self, inputs):
        first = 1 if self.data_format == "channels_last" else 2
        shape = arrange.shape(inputs)
        known = inputs.shape.as_list()
        sizes = [
            self._size(known[p] if known[p] is not None else shape[p], k, s)
            for p, (k, s) in enumerate(zip(self.kernel_size, self.strides, strict=True), first)
        ]
        batch = known[0] if known[0] is not None else shape[0]
        wanted = [batch, *sizes, self.filters] if self.data_format == "channels_last" else [batch, self.filters, *sizes]
        transpose = conv_transpose.conv2d_transpose if self.rank == 2 else conv_transpose.conv3d_transpose
        return transpose(inputs, self.kernel, arrange.stack(wanted), self.strides, self.padding.upper(), self._layout)

    def _size(self, size, kernel, stride):
        return size * stride if self.padding.lower() == "same" else size * stride + max(kernel - stride, 0)


@export("compat.v1.layers.Conv2DTranspose")
@with_sections(_CONVOLUTION, dilation="Has no effect")
class Conv2DTranspose(_Transpose):
    """The transpose of a convolution over images.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     images = tf.compat.v1.layers.Conv2DTranspose(4, 3, strides=2, padding="same")(tf.zeros([2, 5, 5, 1]))
    >>> images.shape
    TensorShape([2, 10, 10, 4])
    """

    rank = 2


@export("compat.v1.layers.Conv3DTranspose")
@with_sections(_CONVOLUTION, dilation="Has no effect")
class Conv3DTranspose(_Transpose):
    """The transpose of a convolution over volumes.

    >>> with tf.Graph().as_default():
    ...     volumes = tf.zeros([2, 5, 5, 5, 1])
    ...     tf.compat.v1.layers.Conv3DTranspose(4, 2, strides=2)(volumes).shape
    TensorShape([2, 10, 10, 10, 4])
    """

    rank = 3


@export("compat.v1.layers.SeparableConv2D")
@with_sections(_CONVOLUTION, dilation="The distance of the elements of a window, an int or a pair")
class SeparableConv2D(_Conv):
    """A depthwise convolution of images, then one over the channels.

    Args:
      kernel_size: The size of the window, an int or a pair.
      strides: How far the window moves at a time, an int or a pair.
      depth_multiplier: How many channels the first convolution makes of each.
      depthwise_initializer, pointwise_initializer, bias_initializer: Initializers of the variables.
      depthwise_regularizer, pointwise_regularizer, bias_regularizer, activity_regularizer: Functions whose results are
        added to the losses.
      depthwise_constraint, pointwise_constraint, bias_constraint: Functions that optimizers apply to the variables
        after each step.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.SeparableConv2D(4, 3)(tf.zeros([2, 5, 5, 3])).shape
    TensorShape([2, 3, 3, 4])
    """

    rank = 2

    def __init__(
        self, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1),
        depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None,
        bias_initializer=Zeros, depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
        activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None,
        trainable=True, name=None, **kwargs,
    ):
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, trainable=trainable, name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self._depthwise = {
            "initializer": depthwise_initializer, "regularizer": depthwise_regularizer,
            "constraint": depthwise_constraint,
        }
        self._pointwise = {
            "initializer": pointwise_initializer, "regularizer": pointwise_regularizer,
            "constraint": pointwise_constraint,
        }

    def build(self, input_shape):
        depth = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel", [*self.kernel_size, depth, self.depth_multiplier], **self._depthwise
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel", [1, 1, depth * self.depth_multiplier, self.filters], **self._pointwise
        )
        self._build_bias()
        self.built = True

    def _convolved(self, inputs):
        steps = (1, *self.strides, 1) if self.data_format == "channels_last" else (1, 1, *self.strides)
        kernels = self.depthwise_kernel, self.pointwise_kernel
        return conv.separable_conv2d(
            inputs, *kernels, list(steps), self.padding.upper(), self._layout, list(self.dilation_rate)
        )


def _functional(layer, public: str, doc: str, example: str):
    """The functional form of a convolution: the layer's arguments, with `inputs` first and `reuse` last."""
    of_layer = [p for p in inspect.signature(layer).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    inputs = inspect.Parameter("inputs", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([inputs, *of_layer, inputs.replace(name="reuse", default=None)])

    # called in this form, editors find the layer's arguments
    def function(inputs, filters, kernel_size, *args, reuse=None, **kwargs):
        if len(args) + 2 > len(of_layer):
            args, reuse = args[:-1], args[-1]
        name = args[-1] if len(args) + 2 == len(of_layer) else kwargs.get("name")
        return layer(filters, kernel_size, *args, _scope=name, _reuse=reuse, **kwargs)(inputs)

    function.__signature__ = signature  # type: ignore[attr-defined]
    doc = (
        f"{doc}\n\nArgs:\n  inputs: A tensor with an axis for the batch and one for the channels, of known size.\n"
        f"{arguments_of(layer)}  reuse: Whether the variables of the scope exist already.\n\nReturns:\n  A "
        "tensor of the rank of `inputs`."
    )
    return export_function(function, f"compat.v1.layers.{public}", doc=doc, example=example)


conv1d = _functional(Conv1D, "conv1d", "Convolves sequences, with variables of a scope.", example="""
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.conv1d(tf.zeros([2, 5, 3]), filters=4, kernel_size=3).shape
    TensorShape([2, 3, 4])
""")
conv2d = _functional(Conv2D, "conv2d", "Convolves images, with variables of a scope.", example="""
    >>> with tf.Graph().as_default():
    ...     y = tf.compat.v1.layers.conv2d(tf.zeros([2, 5, 5, 3]), 4, 3, strides=2, padding="same", name="first")
    ...     y.shape, [v.name for v in tf.compat.v1.trainable_variables()]
    (TensorShape([2, 3, 3, 4]), ['first/kernel:0', 'first/bias:0'])
""")
conv3d = _functional(Conv3D, "conv3d", "Convolves volumes, with variables of a scope.", example="""
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.conv3d(tf.zeros([2, 5, 5, 5, 3]), filters=4, kernel_size=3).shape
    TensorShape([2, 3, 3, 3, 4])
""")
conv2d_transpose = _functional(
    Conv2DTranspose, "conv2d_transpose", "Applies the transpose of a convolution over images.", example="""
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.conv2d_transpose(tf.zeros([2, 5, 5, 3]), 4, 3, strides=2, padding="same").shape
    TensorShape([2, 10, 10, 4])
""")
conv3d_transpose = _functional(
    Conv3DTranspose, "conv3d_transpose", "Applies the transpose of a convolution over volumes.", example="""
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.conv3d_transpose(tf.zeros([2, 5, 5, 5, 3]), 4, 2, strides=2).shape
    TensorShape([2, 10, 10, 10, 4])
""")
separable_conv2d = _functional(
    SeparableConv2D, "separable_conv2d", "Convolves each channel, then the channels.", example="""
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.separable_conv2d(tf.zeros([2, 5, 5, 3]), filters=4, kernel_size=3).shape
    TensorShape([2, 3, 3, 4])
""")


class _Pooling(Layer):
    rank: ClassVar[int] = 2
    kind: ClassVar[str] = "MAX"

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.pool_size, self.strides = _tuple(pool_size, self.rank), _tuple(strides, self.rank)
        self.padding, self.data_format = padding, data_format

    def call(self, inputs):
        layout = _layout(self.data_format, self.rank)
        return pool.pool(inputs, self.pool_size, self.kind, self.strides, self.padding.upper(), layout)


def _poolings(rank: int, kind: str, words: str):
    """The class and the function of a kind of pooling. Their examples show the resulting shape."""
    title = {"MAX": "MaxPooling", "AVG": "AveragePooling"}[kind] + f"{rank}D"
    lower = {"MAX": "max_pooling", "AVG": "average_pooling"}[kind] + f"{rank}d"
    before, after = [2, *[4] * rank, 3], [2, *[2] * rank, 3]
    example = f"""{words}

    Args:
    {{}}  pool_size: The size of the window, an int or one for each spatial axis.
      strides: How far it moves at a time, an int or one for each spatial axis.
      padding: "valid", or "same" for windows that reach beyond the ends.
      data_format: "channels_last" or "channels_first".
      name: A name for the layer.
    {{}}
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.{{}}.shape
    TensorShape({after})
    """
    doc = example.format(
        "", "  **kwargs: Further arguments of `Layer`.\n", f"{title}(pool_size=2, strides=2)(tf.zeros({before}))"
    )
    layer = type(title, (_Pooling,), {"rank": rank, "kind": kind, "__doc__": doc, "__module__": __name__})
    export(f"compat.v1.layers.{title}")(layer)

    def function(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        return layer(pool_size, strides, padding, data_format, name)(inputs)

    inputs = "  inputs: A tensor with an axis for the batch and one for the channels.\n    "
    returns = "\n    Returns:\n      A tensor of the rank of `inputs`.\n"
    doc = example.format(inputs, returns, f"{lower}(tf.zeros({before}), pool_size=2, strides=2)")
    return layer, export_function(function, f"compat.v1.layers.{lower}", doc=doc)


MaxPooling1D, max_pooling1d = _poolings(1, "MAX", "Takes the largest element of each window of a sequence.")
MaxPooling2D, max_pooling2d = _poolings(2, "MAX", "Takes the largest element of each window of an image.")
MaxPooling3D, max_pooling3d = _poolings(3, "MAX", "Takes the largest element of each window of a volume.")
AveragePooling1D, average_pooling1d = _poolings(1, "AVG", "Takes the mean of each window of a sequence.")
AveragePooling2D, average_pooling2d = _poolings(2, "AVG", "Takes the mean of each window of an image.")
AveragePooling3D, average_pooling3d = _poolings(3, "AVG", "Takes the mean of each window of a volume.")

