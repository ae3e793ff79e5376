"""`tf.quantization`: fake quantization, for training with the rounding that an integer model will have."""

from __future__ import annotations

import collections

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError
from reflow.ops.convert import convert_to_tensor

FakeQuantWithMinMaxVarsGradient = collections.namedtuple(
    "FakeQuantWithMinMaxVarsGradient", ["backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"]
)


def _call(op_name, tensors, attrs, num_bits, narrow_range, name):
    if not 2 <= num_bits <= 16:
        raise InvalidArgumentError(None, None, "num_bits must be between 2 and 16, inclusive")
    attrs = {**attrs, "num_bits": num_bits, "narrow_range": bool(narrow_range)}
    return call(op_name, [convert_to_tensor(t, dtypes.float32) for t in tensors], attrs, name)


@export("quantization.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Values rounded to one of 2**num_bits steps between two numbers.

    >>> tf.quantization.fake_quant_with_min_max_args([0.4, 9.0], 0, 3, num_bits=2).numpy().tolist()
    [0.0, 3.0]
    """
    if not min < max:
        raise InvalidArgumentError(None, None, f"min has to be smaller than max, was: {min:g} >= {max:g}")
    return _call(
        "FakeQuantWithMinMaxArgs", (inputs,), {"min": float(min), "max": float(max)}, num_bits, narrow_range, name
    )


@export("quantization.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The same with a range that is trained: `min` and `max` are scalars and get gradients.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.1, 0.9], 0.0, 3.0, num_bits=2).numpy().tolist()
    [0.0, 1.0]
    """
    return _call("FakeQuantWithMinMaxVars", (inputs, min, max), {}, num_bits, narrow_range, name)


@export("quantization.fake_quant_with_min_max_vars_per_channel")
def fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The same with a range for each channel, the last axis.

    >>> x, low, high = [[9.0, 9.0]], [0.0, 0.0], [1.0, 2.0]
    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high).numpy().tolist()
    [[1.0, 2.0]]
    """
    return _call("FakeQuantWithMinMaxVarsPerChannel", (inputs, min, max), {}, num_bits, narrow_range, name)


@export("quantization.fake_quant_with_min_max_vars_gradient")
def fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Cotangents of the inputs, of `min` and of `max`.

    >>> back = tf.quantization.fake_quant_with_min_max_vars_gradient([1.0, 1.0], [0.5, 9.0], 0.0, 6.0)
    >>> [g.numpy().tolist() for g in back]
    [[1.0, 0.0], 0.0, 1.0]
    """
    tensors = (gradients, inputs, min, max)
    return FakeQuantWithMinMaxVarsGradient(*_call("FakeQuantWithMinMaxVarsGradient", tensors, {}, num_bits, narrow_range, name))


# --- integers -----------------------------------------------------------------------------------------------------------


@export("quantization.quantize")
def quantize(
    input, min_range, max_range, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", name=None, narrow_range=False, axis=None,
    ensure_minimum_range=0.01,
):  # fmt: skip
    """Floats as quantized integers: `(output, output_min, output_max)`.

    Args:
      input: float32 values.
      min_range, max_range: the range that the integers cover; values outside are clipped. With an `axis`, one for each slice.
      T: `tf.qint8`, `tf.quint8`, `tf.qint16`, `tf.quint16` or `tf.qint32`.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
      round_mode: "HALF_AWAY_FROM_ZERO", or "HALF_TO_EVEN" with "SCALED".
      narrow_range: whether the lowest integer is left out.
      axis: the axis whose slices have ranges of their own.
      ensure_minimum_range: the range is made at least this wide.

    >>> tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8).output.numpy().tolist()
    [0, 255]
    """
    attrs = {
        "T": dtypes.as_dtype(T),
        "mode": mode,
        "round_mode": round_mode,
        "narrow_range": bool(narrow_range),
        "axis": -1 if axis is None else axis,
        "ensure_minimum_range": float(ensure_minimum_range),
    }
    tensors = [convert_to_tensor(t, dtypes.float32) for t in (input, min_range, max_range)]
    return QuantizeV2(*call("QuantizeV2", tensors, attrs, name))


QuantizeV2 = collections.namedtuple("QuantizeV2", ["output", "output_min", "output_max"])


@export("quantization.dequantize")
def dequantize(
    input, min_range, max_range, mode="MIN_COMBINED", name=None, axis=None, narrow_range=False, dtype=dtypes.float32
):
    """Quantized integers as floats: the inverse of `tf.quantization.quantize`, up to rounding.

    >>> q = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8)
    >>> tf.quantization.dequantize(*q).numpy().tolist()
    [0.0, 1.0]
    """
    attrs = {
        "mode": mode,
        "axis": -1 if axis is None else axis,
        "narrow_range": bool(narrow_range),
        "dtype": dtypes.as_dtype(dtype),
    }
    ranges = [convert_to_tensor(t, dtypes.float32) for t in (min_range, max_range)]
    return call("Dequantize", [convert_to_tensor(input), *ranges], attrs, name)


def _rounded(op_name, input, low, high, how, name):
    signed_input, num_bits, range_given, round_mode, narrow_range, axis = how
    attrs = {
        "signed_input": signed_input,
        "num_bits": num_bits,
        "range_given": range_given,
        "round_mode": round_mode,
        "narrow_range": narrow_range,
        "axis": -1 if axis is None else axis,
    }
    x = convert_to_tensor(input)
    return call(op_name, [x, convert_to_tensor(low, x._dtype), convert_to_tensor(high, x._dtype)], attrs, name)


@export("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input, input_min, input_max, signed_input=True, num_bits=8, range_given=False, round_mode="HALF_TO_EVEN", name=None,
    narrow_range=False, axis=None,
):  # fmt: skip
    """Values rounded as if they had been `num_bits`-bit integers. The gradient passes where the values are in the range.

    Args:
      input: floats.
      input_min, input_max: the range, used if `range_given`; otherwise it is that of the values.
      signed_input: whether the integers have a sign.
      num_bits: how many bits they have.
      range_given: whether the range is given.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      narrow_range: whether the lowest integer is left out.
      axis: the axis whose slices have ranges of their own.

    >>> tf.quantization.quantize_and_dequantize_v2([0.3, 1.0], 0.0, 1.0, num_bits=2, range_given=True).numpy().tolist()
    [0.0, 1.0]
    """
    how = (signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return _rounded("QuantizeAndDequantizeV4", input, input_min, input_max, how, name)


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input, input_min, input_max, signed_input=True, num_bits=8, range_given=False, round_mode="HALF_TO_EVEN", name=None,
    narrow_range=False, axis=None,
):  # fmt: skip
    """`tf.quantization.quantize_and_dequantize_v2` with a gradient that passes everywhere.

    >>> tf.quantization.quantize_and_dequantize([0.3, 1.0], 0.0, 1.0, num_bits=2, range_given=True).numpy().tolist()
    [0.0, 1.0]
    """
    how = (signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return _rounded("QuantizeAndDequantizeV2", input, input_min, input_max, how, name)


@export("quantization.quantized_concat")
def quantized_concat(concat_dim, values, input_mins, input_maxes, name=None):
    """Quantized tensors joined along an axis, in a common range: `(output, output_min, output_max)`.

    >>> parts = [tf.quantization.quantize([x], 0.0, 1.0, tf.quint8) for x in (0.0, 1.0)]
    >>> tf.quantization.quantized_concat(0, *zip(*parts)).output.numpy().tolist()
    [0, 255]
    """
    ranges = [convert_to_tensor(t, dtypes.float32) for t in (*input_mins, *input_maxes)]
    inputs = [convert_to_tensor(concat_dim, dtypes.int32), *map(convert_to_tensor, values), *ranges]
    return QuantizedConcat(*call("QuantizedConcat", inputs, {"N": len(values)}, name))


QuantizedConcat = collections.namedtuple("QuantizedConcat", ["output", "output_min", "output_max"])


@export("quantization.fake_quant_with_min_max_args_gradient")
def fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """The gradient of `tf.quantization.fake_quant_with_min_max_args`: that of the result, where the input is in the range.

    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.5, 9.0]).numpy().tolist()
    [1.0, 0.0]
    """
    attrs = {"min": float(min), "max": float(max)}
    return _call("FakeQuantWithMinMaxArgsGradient", (gradients, inputs), attrs, num_bits, narrow_range, name)


@export("quantization.fake_quant_with_min_max_vars_per_channel_gradient")
def fake_quant_with_min_max_vars_per_channel_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The gradients of `tf.quantization.fake_quant_with_min_max_vars_per_channel`, for its input, `min` and `max`.

    >>> parts = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient([[1.0]], [[9.0]], [0.0], [1.0])
    >>> [p.numpy().tolist() for p in parts]
    [[[0.0]], [0.0], [1.0]]
    """
    inputs = (gradients, inputs, min, max)
    return FakeQuantWithMinMaxVarsPerChannelGradient(
        *_call("FakeQuantWithMinMaxVarsPerChannelGradient", inputs, {}, num_bits, narrow_range, name)
    )


FakeQuantWithMinMaxVarsPerChannelGradient = collections.namedtuple(
    "FakeQuantWithMinMaxVarsPerChannelGradient", ["backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"]
)
