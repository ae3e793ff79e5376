"""`tf.quantization`: fake quantization, for training with the rounding that an integer model will have."""

from __future__ import annotations

import collections
from typing import Any

from reflow.api.call import call
from reflow.api.export import export, export_function, with_sections
from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError
from reflow.ops.convert import convert_to_tensor

FakeQuantWithMinMaxVarsGradient = collections.namedtuple(
    "FakeQuantWithMinMaxVarsGradient", ["backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"]
)


def _call(op_name, tensors, attrs, num_bits, narrow_range, name):
    if not 2 <= num_bits <= 16:
        raise InvalidArgumentError(None, None, f"num_bits must be between 2 and 16, inclusive [Op:{op_name}] name: ")
    attrs = {**attrs, "num_bits": num_bits, "narrow_range": bool(narrow_range)}
    return call(op_name, [convert_to_tensor(t, dtypes.float32) for t in tensors], attrs, name)


_FAKE_QUANT = """\
Args:
  inputs: float32 values; those outside the range are moved to its ends.
  num_bits: The number of bits, from 2 to 16.
  narrow_range: Whether the lowest step is left out.
  name: A name for the operation.

Returns:
  A float32 tensor of the shape of `inputs`{where}.

Raises:
  InvalidArgumentError: {wrong} is out of range.
"""


@export("quantization.fake_quant_with_min_max_args")
@with_sections(_FAKE_QUANT, where="", wrong="`min` is not smaller than `max`, or `num_bits`")
def fake_quant_with_min_max_args(inputs, min: Any = -6, max: Any = 6, num_bits=8, narrow_range=False, name=None):
    """Rounds values to one of `2**num_bits` equal steps in a range, as an integer model would.

    Args:
      min: The lower end of the range, a number; the range is shifted a little if that is needed to make 0 one of the
        steps.
      max: The upper end, greater than `min`.

    >>> tf.quantization.fake_quant_with_min_max_args([0.4, 9.0], 0, 3, num_bits=2).numpy().tolist()
    [0.0, 3.0]
    """
    if not min < max:
        what = f"min has to be smaller than max, was: {min:g} >= {max:g} [Op:FakeQuantWithMinMaxArgs] name: "
        raise InvalidArgumentError(None, None, what)
    return _call(
        "FakeQuantWithMinMaxArgs", (inputs,), {"min": float(min), "max": float(max)}, num_bits, narrow_range, name
    )


@export("quantization.fake_quant_with_min_max_vars")
@with_sections(_FAKE_QUANT, where="", wrong="An end of the range is not a scalar, or `num_bits`")
def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Rounds values to one of `2**num_bits` equal steps in a range that can be trained.

    Args:
      min: The lower end of the range, a scalar, which gets a gradient.
      max: The upper end, a scalar, which gets a gradient.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.1, 0.9], 0.0, 3.0, num_bits=2).numpy().tolist()
    [0.0, 1.0]
    """
    return _call("FakeQuantWithMinMaxVars", (inputs, min, max), {}, num_bits, narrow_range, name)


@export("quantization.fake_quant_with_min_max_vars_per_channel")
@with_sections(_FAKE_QUANT, where="", wrong="The ranges are not one for each channel, or `num_bits`")
def fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Rounds values to one of `2**num_bits` equal steps, in a range of its own for each channel that can be trained.

    Args:
      inputs: float32 values, the channels in the last axis; those outside their range are moved to its ends.
      min: The lower ends of the ranges, a vector, which gets a gradient.
      max: The upper ends, a vector, which gets a gradient.

    >>> x, low, high = [[9.0, 9.0]], [0.0, 0.0], [1.0, 2.0]
    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high).numpy().tolist()
    [[1.0, 2.0]]
    """
    return _call("FakeQuantWithMinMaxVarsPerChannel", (inputs, min, max), {}, num_bits, narrow_range, name)


_FAKE_QUANT_GRADIENT = """\
Args:
  num_bits: The number of bits, from 2 to 16.
  narrow_range: Whether the lowest step is left out.
  name: A name for the operation.

Returns:
  A named tuple of the gradients of the inputs, of `min` and of `max`: `(backprops_wrt_input, backprop_wrt_min,
  backprop_wrt_max)`.

Raises:
  InvalidArgumentError: `num_bits` is out of range.
"""


@export("quantization.fake_quant_with_min_max_vars_gradient")
@with_sections(_FAKE_QUANT_GRADIENT)
def fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Computes the gradients of `tf.quantization.fake_quant_with_min_max_vars`.

    Args:
      gradients: The gradient of its result.
      inputs: What it was given, as are all others.
      min: The lower end of the range, a scalar.
      max: The upper end, a scalar.

    >>> back = tf.quantization.fake_quant_with_min_max_vars_gradient([1.0, 1.0], [0.5, 9.0], 0.0, 6.0)
    >>> [g.numpy().tolist() for g in back]
    [[1.0, 0.0], 0.0, 1.0]
    """
    tensors = (gradients, inputs, min, max)
    return FakeQuantWithMinMaxVarsGradient(
        *_call("FakeQuantWithMinMaxVarsGradient", tensors, {}, num_bits, narrow_range, name)
    )


# --- integers ---------------------------------------------------------------------------------------------------------


@export("quantization.quantize")
def quantize(
    input, min_range, max_range, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", name=None,
    narrow_range=False, axis=None, ensure_minimum_range=0.01,
):  # fmt: skip
    """Converts floats to quantized integers.

    Args:
      input: float32 values.
      min_range, max_range: The range that the integers cover; values outside are clipped. With an `axis`, one for each
        slice.
      T: `tf.qint8`, `tf.quint8`, `tf.qint16`, `tf.quint16` or `tf.qint32`.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
      round_mode: "HALF_AWAY_FROM_ZERO", or "HALF_TO_EVEN" with "SCALED".
      name: A name for the operation.
      narrow_range: Whether the lowest integer is left out.
      axis: The axis whose slices have ranges of their own.
      ensure_minimum_range: The range is made at least this wide.

    Returns:
      A named tuple `(output, output_min, output_max)`: the integers, and the range that they cover, which may have been
      widened.

    Raises:
      InvalidArgumentError: `max_range` is smaller than `min_range`, or `T` is another dtype.

    >>> tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8).output.numpy().tolist()
    [0, 255]
    """
    tensors = [convert_to_tensor(t, dtypes.float32) for t in (input, min_range, max_range)]
    attrs = {
        "T": dtypes.as_dtype(T),
        "mode": mode,
        "round_mode": round_mode,
        "narrow_range": bool(narrow_range),
        "axis": _from_front(axis, tensors[0]),
        "ensure_minimum_range": float(ensure_minimum_range),
    }
    return QuantizeV2(*call("QuantizeV2", tensors, attrs, name))


QuantizeV2 = collections.namedtuple("QuantizeV2", ["output", "output_min", "output_max"])


@export("quantization.dequantize")
def dequantize(
    input, min_range, max_range, mode="MIN_COMBINED", name=None, axis=None, narrow_range=False,
    dtype: Any = dtypes.float32,
):
    """Converts quantized integers to floats: the inverse of `tf.quantization.quantize`, up to rounding.

    Args:
      input: Integers of a quantized dtype.
      min_range: The lower end of the range that the integers cover; with an `axis`, one for each slice.
      max_range: The upper end.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED", as they were quantized.
      name: A name for the operation.
      axis: The axis whose slices have ranges of their own.
      narrow_range: Whether the lowest integer was left out.
      dtype: The dtype of the result, `tf.float32` or `tf.bfloat16`.

    Returns:
      A tensor of that dtype, of the shape of `input`.

    Raises:
      InvalidArgumentError: `input` does not have a quantized dtype.

    >>> q = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8)
    >>> tf.quantization.dequantize(*q).numpy().tolist()
    [0.0, 1.0]
    """
    x = convert_to_tensor(input)
    attrs = {
        "mode": mode,
        "axis": _from_front(axis, x),
        "narrow_range": bool(narrow_range),
        "dtype": dtypes.as_dtype(dtype),
    }
    ranges = [convert_to_tensor(t, dtypes.float32) for t in (min_range, max_range)]
    return call("Dequantize", [x, *ranges], attrs, name)


def _from_front(axis, x) -> int:
    """An axis as ops take it: counted from the front, -1 for none."""
    if axis is None or axis >= 0:
        return -1 if axis is None else axis
    if x.shape.rank is None:
        raise ValueError("input should have known rank to use negative axis.")
    return axis % x.shape.rank


_QUANTIZE_AND_DEQUANTIZE = """\
Args:
  input: Floats.
  input_min, input_max: The range, used if `range_given`; otherwise it is that of the values.
  signed_input: Whether the integers have a sign.
  num_bits: How many bits they have.
  range_given: Whether the range is given.
  round_mode: "HALF_TO_EVEN" or "HALF_UP".
  name: A name for the operation.
  narrow_range: Whether the lowest integer is left out.
  axis: The axis whose slices have ranges of their own.

Returns:
  A tensor of the shape and dtype of `input`.

Raises:
  InvalidArgumentError: `input_max` is smaller than `input_min`, or `num_bits` is out of range.
"""


def _quantize_and_dequantize(public, op, doc):
    def function(
        input, input_min, input_max, signed_input=True, num_bits=8, range_given=False, round_mode="HALF_TO_EVEN",
        name=None, narrow_range=False, axis=None,
    ):  # fmt: skip
        x = convert_to_tensor(input)
        attrs = {
            "signed_input": signed_input,
            "num_bits": num_bits,
            "range_given": range_given,
            "round_mode": round_mode,
            "narrow_range": narrow_range,
            "axis": _from_front(axis, x),
        }
        ends = [convert_to_tensor(end, x._dtype) for end in (input_min, input_max)]
        return call(op, [x, *ends], attrs, name)

    example = f"""
    >>> tf.quantization.{public}([0.3, 1.0], 0.0, 1.0, num_bits=2, range_given=True).numpy().tolist()
    [0.0, 1.0]
    """
    doc = f"{doc}\n\n{_QUANTIZE_AND_DEQUANTIZE}"
    return export_function(function, f"quantization.{public}", doc=doc, example=example)


quantize_and_dequantize_v2 = _quantize_and_dequantize(
    "quantize_and_dequantize_v2", "QuantizeAndDequantizeV4",
    "Rounds values as if they had been `num_bits`-bit integers. The gradient passes where the values are in the range.",
)
quantize_and_dequantize = _quantize_and_dequantize(
    "quantize_and_dequantize", "QuantizeAndDequantizeV2",
    "The same as `tf.quantization.quantize_and_dequantize_v2`, with a gradient that passes everywhere.",
)


@export("quantization.quantized_concat")
def quantized_concat(concat_dim, values, input_mins, input_maxes, name=None):
    """Joins quantized tensors along an axis, in a range that covers those of all.

    Args:
      concat_dim: The axis.
      values: Tensors of one quantized dtype.
      input_mins: For each the lower end of the range that its integers cover.
      input_maxes: For each the upper end.
      name: A name for the operation.

    Returns:
      A named tuple `(output, output_min, output_max)`: the integers, and the range that they cover.

    Raises:
      InvalidArgumentError: The axis is out of range, or the shapes do not fit.

    >>> parts = [tf.quantization.quantize([x], 0.0, 1.0, tf.quint8) for x in (0.0, 1.0)]
    >>> tf.quantization.quantized_concat(0, *zip(*parts)).output.numpy().tolist()
    [0, 255]
    """
    ranges = [convert_to_tensor(t, dtypes.float32) for t in (*input_mins, *input_maxes)]
    inputs = [convert_to_tensor(concat_dim, dtypes.int32), *map(convert_to_tensor, values), *ranges]
    return QuantizedConcat(*call("QuantizedConcat", inputs, {"N": len(values)}, name))


QuantizedConcat = collections.namedtuple("QuantizedConcat", ["output", "output_min", "output_max"])


@export("quantization.fake_quant_with_min_max_args_gradient")
@with_sections(_FAKE_QUANT, where=", with 0 where they are outside the range", wrong="`num_bits`")
def fake_quant_with_min_max_args_gradient(
    gradients, inputs, min: Any = -6, max: Any = 6, num_bits=8, narrow_range=False, name=None
):
    """Computes the gradient of `tf.quantization.fake_quant_with_min_max_args`.

    Args:
      gradients: The gradient of its result.
      inputs: What it was given, as are all others.
      min: The lower end of the range, a number.
      max: The upper end.

    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.5, 9.0]).numpy().tolist()
    [1.0, 0.0]
    """
    attrs = {"min": float(min), "max": float(max)}
    return _call("FakeQuantWithMinMaxArgsGradient", (gradients, inputs), attrs, num_bits, narrow_range, name)


@export("quantization.fake_quant_with_min_max_vars_per_channel_gradient")
@with_sections(_FAKE_QUANT_GRADIENT)
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None
):
    """Computes the gradients of `tf.quantization.fake_quant_with_min_max_vars_per_channel`.

    Args:
      gradients: The gradient of its result.
      inputs: What it was given, as are all others; the channels are in the last axis.
      min: The lower ends of the ranges, a vector.
      max: The upper ends, a vector.

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
