"""The layers of a network, under TensorRT's names.

A layer has `inputs`, `outputs`, a `name`, the attributes with which TensorRT users change it after it was added, and
`emit`, which expresses its computation in `tf` functions. `METHODS` lists the methods of `INetworkDefinition` that add
one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import reflow as tf
from reflow.core.properties import read_write
from reflow.engine import enums
from reflow.engine.network import INetworkDefinition, ITensor
from reflow.onnx.operators.nn import convolution_2d, convolution_3d, transposed
from reflow.onnx.operators.windows import Windows, pad_space

METHODS: dict[str, Callable[..., Layer]] = {}


def method(name: str) -> Callable[[type], type]:
    """Make a class of layers the one that a method of the network adds."""

    def register(cls: type) -> type:
        METHODS[name] = cls
        return cls

    return register


class Layer:
    """A layer of a network."""

    number_of_outputs = 1

    def __init__(self, network: INetworkDefinition, *inputs: ITensor) -> None:
        kind = type(self).__name__.removesuffix("Layer")
        self._name = f"{kind}_{len(network.layers)}"
        self.inputs: list[ITensor] = list(inputs)
        self.outputs = [ITensor(network, f"{self._name}_output_{i}", self, i) for i in range(self.number_of_outputs)]
        self.precision: enums.DataType | None = None  # the user's request; None leaves it to the builder
        self._network = network

    def __setattr__(self, name: str, value: Any) -> None:
        """Changing a layer changes the network's shapes."""
        object.__setattr__(self, name, value)
        if "_network" in self.__dict__:
            self._network.changed()

    name = read_write("_name", "The layer's name.")

    @property
    def type(self) -> str:
        return type(self).__name__.removesuffix("Layer").upper()

    num_inputs = property(lambda self: len(self.inputs))
    num_outputs = property(lambda self: len(self.outputs))

    def get_input(self, index: int) -> ITensor:
        return self.inputs[index]

    def set_input(self, index: int, tensor: ITensor) -> None:
        self.inputs[index] = tensor
        self._network.changed()

    def get_output(self, index: int) -> ITensor:
        return self.outputs[index]

    @property
    def required_precision(self) -> enums.DataType | None:
        """The precision that the builder must keep to; None if it may choose."""
        return self.precision

    def emit(self, *tensors: Any) -> Any:
        """The layer's results for its inputs."""
        raise NotImplementedError


def _weights(given: Any) -> np.ndarray | None:
    """Weights as an array; None where there are none."""
    if given is None:
        return None
    array = np.asarray(given)
    return array if array.size else None


def _alias(name: str) -> property:
    """An older name of an attribute."""
    return property(lambda self: getattr(self, name), lambda self, value: setattr(self, name, tuple(value)))


class _Windowed(Layer):
    """Layers with windows: kernel, strides, padding, dilations."""

    def _set_windows(self, kernel: Sequence[int]) -> None:
        count = len(kernel)
        self.kernel_size_nd = tuple(kernel)
        self.stride_nd = (1,) * count
        self.dilation_nd = (1,) * count
        self.pre_padding = self.post_padding = (0,) * count
        self.padding_mode = enums.PaddingMode.EXPLICIT_ROUND_DOWN

    @property
    def padding_nd(self) -> tuple[int, ...]:
        return self.pre_padding

    @padding_nd.setter
    def padding_nd(self, padding: Sequence[int]) -> None:
        self.pre_padding = self.post_padding = tuple(padding)

    padding, stride, kernel_size, dilation = map(_alias, ("padding_nd", "stride_nd", "kernel_size_nd", "dilation_nd"))

    def windows(self, x: Any) -> Windows:
        found = Windows(list(self.kernel_size_nd), list(self.stride_nd), list(self.dilation_nd),
                        list(zip(self.pre_padding, self.post_padding)))
        space = x.shape.as_list()[2:]
        if self.padding_mode in (enums.PaddingMode.SAME_UPPER, enums.PaddingMode.SAME_LOWER):
            totals = [max((-(-n // s) - 1) * s + w - n, 0) for n, s, w in zip(space, found.strides, found.span)]
            upper = self.padding_mode is enums.PaddingMode.SAME_UPPER
            found = found._replace(pads=[(t // 2, t - t // 2) if upper else (t - t // 2, t // 2) for t in totals])
        elif self.padding_mode is enums.PaddingMode.EXPLICIT_ROUND_UP:
            more = [(-(n + a + b - w)) % s for n, (a, b), w, s in zip(space, found.pads, found.span, found.strides)]
            found = found._replace(pads=[(a, b + m) for (a, b), m in zip(found.pads, more)])
        return found


class _Filtered(_Windowed):
    """A layer of windows with a filter for each output map, and perhaps a bias."""

    def __init__(
        self, network: INetworkDefinition, input: ITensor, num_output_maps: int, kernel_shape: Sequence[int],
        kernel: Any, bias: Any = None,
    ) -> None:
        super().__init__(network, input)
        self.num_output_maps, self.num_groups = num_output_maps, 1
        self._set_windows(kernel_shape)
        self.kernel, self.bias = _weights(kernel), _weights(bias)


@method("add_convolution_nd")
class ConvolutionLayer(_Filtered):
    """A convolution of [batch, channels, *space] with filters [out, in / groups, *window]."""

    def filters(self, x: Any) -> Any:
        if self.kernel is None:
            raise ValueError(f"The layer {self.name!r} has no kernel.")
        wanted = (self.num_output_maps, x.shape[1] // self.num_groups, *self.kernel_size_nd)
        if self.kernel.size != math.prod(wanted):
            raise ValueError(
                f"The kernel of {self.name!r} has {self.kernel.size} numbers; {wanted} are {math.prod(wanted)}."
            )
        with tf.init_scope():
            return tf.constant(self.kernel.reshape(wanted))

    def emit(self, x: Any) -> Any:
        w = self.filters(x)
        if len(self.kernel_size_nd) == 3:
            y = convolution_3d(x, w, self.windows(x))
        else:
            y = convolution_2d(x, w, self.windows(x), self.num_groups)
        return _biased(y, self.bias)


METHODS["add_convolution"] = ConvolutionLayer


def _biased(y: Any, bias: np.ndarray | None) -> Any:
    if bias is None:
        return y
    with tf.init_scope():
        vector = tf.constant(bias.reshape([-1] + [1] * (len(y.shape) - 2)))
    return y + vector


@method("add_deconvolution_nd")
class DeconvolutionLayer(_Filtered):
    """The gradient of a convolution; filters [in, out / groups, *window]."""

    def emit(self, x: Any) -> Any:
        if self.kernel is None:
            raise ValueError(f"The layer {self.name!r} has no kernel.")
        with tf.init_scope():
            w = tf.constant(
                self.kernel.reshape(x.shape[1], self.num_output_maps // self.num_groups, *self.kernel_size_nd)
            )
        windows = self.windows(x)
        y = transposed(x, w, windows, [0] * len(windows.kernel), self.num_groups)
        return _biased(y, self.bias)


@method("add_fully_connected")
class FullyConnectedLayer(Layer):
    """A product with weights [outputs, inputs] of everything after the batch axis."""

    def __init__(self, network: INetworkDefinition, input: ITensor, num_outputs: int, kernel: Any,
                 bias: Any = None) -> None:
        super().__init__(network, input)
        self.num_output_channels = num_outputs
        self.kernel, self.bias = _weights(kernel), _weights(bias)

    def emit(self, x: Any) -> Any:
        if self.kernel is None:
            raise ValueError(f"The layer {self.name!r} has no kernel.")
        with tf.init_scope():
            w = tf.transpose(tf.constant(self.kernel.reshape(self.num_output_channels, -1)))
        flat = tf.reshape(x, [-1, w.shape[0]])
        return _biased(tf.matmul(flat, w), self.bias)


@method("add_pooling_nd")
class PoolingLayer(_Windowed):
    """The largest or the mean of each window."""

    def __init__(self, network: INetworkDefinition, input: ITensor, type: enums.PoolingType,  # noqa: A002
                 window_size: Sequence[int]) -> None:
        super().__init__(network, input)
        self.pooling_type = type
        self._set_windows(window_size)
        self.stride_nd = tuple(window_size)
        self.average_count_excludes_padding = True

    window_size_nd = window_size = _alias("kernel_size_nd")

    def emit(self, x: Any) -> Any:
        from reflow.onnx.operators.pooling import averages, maxima

        windows = self.windows(x)
        if self.pooling_type is enums.PoolingType.MAX:
            return maxima(x, windows)
        if self.pooling_type is enums.PoolingType.AVERAGE:
            return averages(x, windows, not self.average_count_excludes_padding)
        raise ValueError(f"{self.name!r}: {self.pooling_type} is not offered.")


METHODS["add_pooling"] = PoolingLayer


@method("add_matrix_multiply")
class MatrixMultiplyLayer(Layer):
    def __init__(self, network: INetworkDefinition, input0: ITensor, op0: enums.MatrixOperation, input1: ITensor,
                 op1: enums.MatrixOperation) -> None:  # fmt: skip
        super().__init__(network, input0, input1)
        self.op0, self.op1 = op0, op1

    def emit(self, a: Any, b: Any) -> Any:
        vector = enums.MatrixOperation.VECTOR
        a = a[..., None, :] if self.op0 is vector else a
        b = b[..., :, None] if self.op1 is vector else b
        turn = enums.MatrixOperation.TRANSPOSE
        y = tf.matmul(a, b, transpose_a=self.op0 is turn, transpose_b=self.op1 is turn)
        y = tf.squeeze(y, -2) if self.op0 is vector else y
        return tf.squeeze(y, -1) if self.op1 is vector else y


_ELEMENTWISE: dict[enums.ElementWiseOperation, Callable[..., Any]] = dict(zip(enums.ElementWiseOperation, (
    tf.add, tf.multiply, tf.maximum, tf.minimum, tf.subtract, tf.divide, tf.pow, tf.math.floordiv, tf.logical_and,
    tf.logical_or, tf.math.logical_xor, tf.equal, tf.greater, tf.less,
)))  # fmt: skip


@method("add_elementwise")
class ElementWiseLayer(Layer):
    def __init__(self, network: INetworkDefinition, input1: ITensor, input2: ITensor,
                 op: enums.ElementWiseOperation) -> None:
        super().__init__(network, input1, input2)
        self.op = op

    def emit(self, a: Any, b: Any) -> Any:
        return _ELEMENTWISE[self.op](a, b)


_UNARY: dict[enums.UnaryOperation, Callable[..., Any]] = dict(zip(enums.UnaryOperation, (
    tf.exp, tf.math.log, tf.sqrt, tf.math.reciprocal, tf.abs, tf.negative, tf.sin, tf.cos, tf.tan, tf.sinh, tf.cosh,
    tf.asin, tf.acos, tf.atan, tf.asinh, tf.acosh, tf.atanh, tf.math.ceil, tf.floor, tf.math.erf, tf.logical_not,
    tf.sign, tf.round, tf.math.is_inf, tf.math.is_nan,
)))  # fmt: skip


@method("add_unary")
class UnaryLayer(Layer):
    def __init__(self, network: INetworkDefinition, input: ITensor, op: enums.UnaryOperation) -> None:
        super().__init__(network, input)
        self.op = op

    def emit(self, x: Any) -> Any:
        return _UNARY[self.op](x)


@method("add_activation")
class ActivationLayer(Layer):
    """A function of each number; some have the parameters `alpha` and `beta`."""

    def __init__(self, network: INetworkDefinition, input: ITensor, type: enums.ActivationType) -> None:  # noqa: A002
        super().__init__(network, input)
        self.activation_type, self.alpha, self.beta = type, 0.0, 0.0

    def emit(self, x: Any) -> Any:
        kind, a, b = self.activation_type.name, self.alpha, self.beta
        plain: dict[str, Any] = {
            "RELU": tf.nn.relu, "SIGMOID": tf.sigmoid, "TANH": tf.tanh, "SELU": tf.nn.selu, "SOFTSIGN": tf.nn.softsign,
            "GELU_ERF": tf.nn.gelu,
        }  # fmt: skip
        if kind in plain:
            return plain[kind](x)
        parametric: dict[str, Callable[[], Any]] = {
            "LEAKY_RELU": lambda: tf.nn.leaky_relu(x, a),
            "ELU": lambda: tf.where(x < 0, a * tf.math.expm1(x), x),
            "SOFTPLUS": lambda: a * tf.nn.softplus(b * x),
            "CLIP": lambda: tf.clip_by_value(x, a, b),
            "HARD_SIGMOID": lambda: tf.clip_by_value(a * x + b, 0.0, 1.0),
            "SCALED_TANH": lambda: a * tf.tanh(b * x),
            "THRESHOLDED_RELU": lambda: tf.where(x > a, x, tf.zeros_like(x)),
            "GELU_TANH": lambda: tf.nn.gelu(x, approximate=True),
        }
        return parametric[kind]()


@method("add_scale")
class ScaleLayer(Layer):
    """(x * scale + shift) ** power, with one number each, or one for each channel."""

    def __init__(self, network: INetworkDefinition, input: ITensor, mode: enums.ScaleMode, shift: Any = None,
                 scale: Any = None, power: Any = None) -> None:
        super().__init__(network, input)
        self.mode = mode
        self.shift, self.scale, self.power = _weights(shift), _weights(scale), _weights(power)

    def _number(self, weights: np.ndarray, x: Any) -> Any:
        shapes = {"UNIFORM": [], "CHANNEL": [-1] + [1] * (len(x.shape) - 2), "ELEMENTWISE": x.shape.as_list()[1:]}
        with tf.init_scope():
            return tf.constant(weights.reshape(shapes[self.mode.name]), x.dtype)

    def emit(self, x: Any) -> Any:
        x = x if self.scale is None else x * self._number(self.scale, x)
        x = x if self.shift is None else x + self._number(self.shift, x)
        return x if self.power is None or np.all(self.power == 1) else tf.pow(x, self._number(self.power, x))


def _axes_of(mask: int) -> list[int]:
    """The axes whose bits are set."""
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


@method("add_softmax")
class SoftMaxLayer(Layer):
    def __init__(self, network: INetworkDefinition, input: ITensor) -> None:
        super().__init__(network, input)
        self.axes = 1 << max(len(input.shape) - 3, 1 if len(input.shape) > 1 else 0)

    def emit(self, x: Any) -> Any:
        return tf.nn.softmax(x, _axes_of(self.axes)[0])


@method("add_reduce")
class ReduceLayer(Layer):
    def __init__(self, network: INetworkDefinition, input: ITensor, op: enums.ReduceOperation, axes: int,
                 keep_dims: bool) -> None:
        super().__init__(network, input)
        self.op, self.axes, self.keep_dims = op, axes, keep_dims

    def emit(self, x: Any) -> Any:
        functions = dict(
            zip(enums.ReduceOperation, (tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_min, tf.reduce_mean))
        )
        return functions[self.op](x, _axes_of(self.axes), self.keep_dims)


@method("add_normalization")
class NormalizationLayer(Layer):
    def __init__(self, network: INetworkDefinition, input: ITensor, scale: ITensor, bias: ITensor,
                 axesMask: int) -> None:
        super().__init__(network, input, scale, bias)
        self.axes, self.epsilon = axesMask, 1e-5
        # as in TensorRT, also where FP16 is allowed: squares overflow in it
        self.compute_precision = enums.DataType.FLOAT

    @property
    def required_precision(self) -> enums.DataType | None:
        return self.precision or self.compute_precision

    def emit(self, x: Any, scale: Any, bias: Any) -> Any:
        # The variance comes from differences, not from sums of squares: XLA then makes one kernel of the layer on a
        # GPU, and not three.
        centered = x - tf.reduce_mean(x, _axes_of(self.axes), keepdims=True)
        variance = tf.reduce_mean(tf.square(centered), _axes_of(self.axes), keepdims=True)
        return centered * tf.math.rsqrt(variance + tf.cast(self.epsilon, x.dtype)) * scale + bias


@method("add_concatenation")
class ConcatenationLayer(Layer):
    def __init__(self, network: INetworkDefinition, inputs: Sequence[ITensor]) -> None:
        super().__init__(network, *inputs)
        self.axis = max(len(inputs[0].shape) - 3, 0)

    def emit(self, *tensors: Any) -> Any:
        return tf.concat(list(tensors), self.axis)


class _OfOne(Layer):
    """A layer of one input, whose settings are set later."""

    def __init__(self, network: INetworkDefinition, input: ITensor) -> None:
        super().__init__(network, input)


@method("add_shuffle")
class ShuffleLayer(_OfOne):
    """Transpose, reshape (0 keeps a length, -1 is what remains), transpose."""

    first_transpose: Any = None
    second_transpose: Any = None
    reshape_dims: Any = None

    def emit(self, x: Any) -> Any:
        x = x if self.first_transpose is None else tf.transpose(x, list(self.first_transpose))
        if self.reshape_dims is not None:
            x = tf.reshape(x, [_kept(x, i) if n == 0 else n for i, n in enumerate(self.reshape_dims)])
        return x if self.second_transpose is None else tf.transpose(x, list(self.second_transpose))


def _kept(x: Any, axis: int) -> Any:
    return tf.shape(x)[axis] if x.shape[axis] is None else x.shape[axis]


@method("add_slice")
class SliceLayer(Layer):
    def __init__(self, network: INetworkDefinition, input: ITensor, start: Sequence[int], shape: Sequence[int],
                 stride: Sequence[int]) -> None:
        super().__init__(network, input)
        self.start, self.shape, self.stride = tuple(start), tuple(shape), tuple(stride)

    def emit(self, x: Any) -> Any:
        return x[tuple(slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(self.start, self.shape, self.stride))]


@method("add_gather")
class GatherLayer(Layer):
    def __init__(self, network: INetworkDefinition, input: ITensor, indices: ITensor, axis: int) -> None:
        super().__init__(network, input, indices)
        self.axis = axis

    def emit(self, x: Any, indices: Any) -> Any:
        return tf.gather(x, indices, axis=self.axis)


@method("add_select")
class SelectLayer(Layer):
    def __init__(self, network: INetworkDefinition, condition: ITensor, then_input: ITensor,
                 else_input: ITensor) -> None:
        super().__init__(network, condition, then_input, else_input)

    def emit(self, condition: Any, a: Any, b: Any) -> Any:
        return tf.where(condition, a, b)


@method("add_topk")
class TopKLayer(Layer):
    number_of_outputs = 2

    def __init__(self, network: INetworkDefinition, input: ITensor, op: enums.TopKOperation, k: int, axes: int) -> None:
        super().__init__(network, input)
        self.op, self.k, self.axes = op, k, axes

    def emit(self, x: Any) -> Any:
        axis, count = _axes_of(self.axes)[0], len(x.shape)
        order = [i for i in range(count) if i != axis] + [axis]
        back = [order.index(i) for i in range(count)]
        rows = tf.transpose(x, order)
        smallest = self.op is enums.TopKOperation.MIN
        values, indices = tf.math.top_k(-rows if smallest else rows, self.k)
        return tf.transpose(-values if smallest else values, back), tf.transpose(indices, back)


@method("add_constant")
class ConstantLayer(Layer):
    def __init__(self, network: INetworkDefinition, shape: Sequence[int], weights: Any) -> None:
        super().__init__(network)
        self.shape, self.weights = tuple(shape), np.asarray(weights)

    def emit(self) -> Any:
        with tf.init_scope():
            value = tf.constant(self.weights.reshape(self.shape))
        return tf.identity(value)


@method("add_identity")
class IdentityLayer(Layer):
    def emit(self, x: Any) -> Any:
        return tf.identity(x)


@method("add_cast")
class CastLayer(Layer):
    def __init__(self, network: INetworkDefinition, input: ITensor, to_type: enums.DataType) -> None:
        super().__init__(network, input)
        self.to_type = to_type

    def emit(self, x: Any) -> Any:
        return tf.cast(x, self.to_type.dtype)


@method("add_shape")
class ShapeLayer(Layer):
    def emit(self, x: Any) -> Any:
        return tf.shape(x, tf.int64)


@method("add_padding_nd")
class PaddingLayer(Layer):
    """Zeros around the last two axes; negative amounts cut."""

    def __init__(self, network: INetworkDefinition, input: ITensor, pre_padding: Sequence[int],
                 post_padding: Sequence[int]) -> None:
        super().__init__(network, input)
        self.pre_padding_nd, self.post_padding_nd = tuple(pre_padding), tuple(post_padding)

    def emit(self, x: Any) -> Any:
        pads = list(zip(self.pre_padding_nd, self.post_padding_nd))
        first = len(x.shape) - len(pads)
        cut = (slice(None),) * first + tuple(slice(max(-a, 0), -max(-b, 0) or None) for a, b in pads)
        return pad_space(x[cut], [(max(a, 0), max(b, 0)) for a, b in pads], 0, first)


@method("add_resize")
class ResizeLayer(_OfOne):
    """To a shape, or by scales, along the last two axes."""

    shape: Any = None
    scales: Any = None
    resize_mode = enums.InterpolationMode.NEAREST

    def emit(self, x: Any) -> Any:
        old = x.shape.as_list()
        wanted = (tuple(self.shape)[-2:] if self.shape is not None
                  else [int(n * s) for n, s in zip(old[-2:], tuple(self.scales)[-2:])])
        how = {"NEAREST": "nearest", "LINEAR": "bilinear", "CUBIC": "bicubic"}[self.resize_mode.name]
        images = tf.transpose(x, [0, 2, 3, 1])
        return tf.transpose(tf.cast(tf.image.resize(images, wanted, how), x.dtype), [0, 3, 1, 2])


class _Scaled(Layer):
    """A layer with a scale for the whole tensor, or for each slice along `axis`."""

    def __init__(self, network: INetworkDefinition, input: ITensor, scale: ITensor) -> None:
        super().__init__(network, input, scale)
        self.axis = -1


@method("add_quantize")
class QuantizeLayer(_Scaled):
    """Numbers as 8-bit integers."""

    def emit(self, x: Any, scale: Any) -> Any:
        return tf.cast(tf.clip_by_value(tf.round(x / _spread(scale, x, self.axis)), -128.0, 127.0), tf.int8)


@method("add_dequantize")
class DequantizeLayer(_Scaled):
    """8-bit integers as numbers."""

    def emit(self, x: Any, scale: Any) -> Any:
        return tf.cast(x, tf.float32) * _spread(scale, x, self.axis)


def _spread(scale: Any, x: Any, axis: int) -> Any:
    if scale.shape.rank == 0 or scale.shape[0] == 1:
        return tf.reshape(scale, [])
    return tf.reshape(scale, [-1 if i == axis % len(x.shape) else 1 for i in range(len(x.shape))])


class FunctionLayer(Layer):
    """A Python function of tensors as a layer, or a plugin (`plugins.py`), which knows how many outputs it has."""

    def __init__(self, network: INetworkDefinition, inputs: Sequence[ITensor], function: Callable[..., Any],
                 outputs: int | None = None) -> None:
        self.number_of_outputs = getattr(function, "num_outputs", 1) if outputs is None else outputs
        super().__init__(network, *inputs)
        self.function = function

    def emit(self, *tensors: Any) -> Any:
        return self.function(*tensors)


METHODS["add_plugin_v2"] = METHODS["add_plugin"] = FunctionLayer
