"""Uniform quantization: a scale and a zero point, for a whole tensor or for each slice along an axis,
define an integer's value."""

from __future__ import annotations

import numpy as np

from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op

F32 = np.dtype(np.float32)
_FACTS: dict = {"grad": NO_GRADIENT, "host": True}


def check_parameters(name: str, x, scales, zero_points, axis: int, positive: bool = True) -> None:
    """Positive scales and as many zero points: one of both, or one for each slice along an axis.

    Denormal scales are none to TensorFlow.
    """
    if not -1 <= axis < x.ndim:
        raise ValueError(f"quantization_axis must be -1 or in range [0, input.rank), but given {axis}")
    shapes = f"scales shape {rules.text(scales.shape)} and zero_points shape {rules.text(zero_points.shape)}"
    if scales.shape != zero_points.shape:
        raise ValueError(f"scales and zero_points shape must be same, but given {shapes}")
    if scales.shape != (() if axis == -1 else (x.shape[axis],)):
        wanted = (
            "scalar" if axis == -1
            else "a tensor of rank 1 and the size must be equal to the input.dim_size(quantization_axis)"
        )
        given = f"quantization_axis {axis}, {shapes}"
        raise ValueError(
            f"If quantization_axis is {'' if axis == -1 else 'not '}-1, scales and zero_points must be "
            f"{wanted}, but given {given}"
        )
    if positive and not (scales >= np.finfo(F32).tiny).all():
        raise ValueError(f"{name}scales elements must be all positive.")


def _along(values, x, axis: int):
    if values.shape != (() if axis == -1 else (x.shape[axis],)):
        raise ValueError(f"There must be one value, or one for each slice: {rules.text(values.shape)}")
    if axis == -1:
        return values
    return values.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


def check_multiplier(scales, output_scales) -> None:
    """What integers are multiplied with on their way to another scale, for the whole tensor or for each slice."""
    if scales.shape and output_scales.shape and scales.shape != output_scales.shape:
        return  # scales of different axes: another check's business
    scale = np.divide(scales, output_scales, dtype=np.float64)
    if not ((scale > 0) & (scale < np.inf)).all():
        # the typo is TensorFlow's
        raise ValueError(f"double_multiplier must be a poisitive finite number. Given {np.ravel(scale)[0]:g}")


def check_ends(low: int, high: int) -> None:
    """The least and the largest integer are attributes of 32 bits."""
    for name, end in (("min", low), ("max", high)):
        if not -(2**31) <= end < 2**31:
            raise ValueError(f"Attr quantization_{name}_val has value {end} out of range for an int32")


def _quantized(x, scales, zero_points, axis, low, high, dtype, positive=True):
    check_parameters("", x, scales, zero_points, axis, positive)
    check_ends(low, high)
    numbers = np.floor(x.astype(F32) * (np.float32(1) / _along(scales, x, axis)) + np.float32(0.5))
    return np.clip(numbers + _along(zero_points, x, axis), low, high).astype(dtype)


def _dequantized(q, scales, zero_points, axis):
    check_parameters("", q, scales, zero_points, axis)
    return (q.astype(np.int64) - _along(zero_points, q, axis)).astype(F32) * _along(scales, q, axis)


@op("UniformQuantize", shape=rules.same, **_FACTS)
def uniform_quantize(
    _, input, scales, zero_points, Tout, quantization_min_val, quantization_max_val, quantization_axis=-1
):
    ends = quantization_min_val, quantization_max_val
    return _quantized(input, scales, zero_points, quantization_axis, *ends, Tout.np_dtype, positive=False)


@op("UniformDequantize", shape=rules.same, **_FACTS)
def uniform_dequantize(_, input, scales, zero_points, quantization_axis=-1):
    return _dequantized(input, scales, zero_points, quantization_axis)


@op("UniformRequantize", shape=rules.same, **_FACTS)
def uniform_requantize(
    _, input, input_scales, input_zero_points, output_scales, output_zero_points, Tout, output_quantization_min_val,
    output_quantization_max_val, input_quantization_axis=-1, output_quantization_axis=-1,
):
    x = _dequantized(input, input_scales, input_zero_points, input_quantization_axis)
    check_multiplier(input_scales, output_scales)
    ends = output_quantization_min_val, output_quantization_max_val
    return _quantized(x, output_scales, output_zero_points, output_quantization_axis, *ends, Tout.np_dtype)


@op("UniformQuantizedClipByValue", shape=rules.same, **_FACTS)
def uniform_quantized_clip(_, operand, min, max, scales, zero_points, quantization_axis=-1):
    check_parameters("", operand, scales, zero_points, quantization_axis, positive=False)
    low, high = (_along(v, operand, quantization_axis) for v in (min, max))
    return np.clip(operand, low, high)


@op("UniformQuantizedAdd", shape=rules.broadcast, **_FACTS)
def uniform_quantized_add(
    _, lhs, rhs, lhs_scales, lhs_zero_points, rhs_scales, rhs_zero_points, output_scales, output_zero_points,
    output_quantization_min_val, output_quantization_max_val, lhs_quantization_axis=-1, rhs_quantization_axis=-1,
    output_quantization_axis=-1,
):
    total = _dequantized(lhs, lhs_scales, lhs_zero_points, lhs_quantization_axis) + _dequantized(
        rhs, rhs_scales, rhs_zero_points, rhs_quantization_axis
    )
    check_multiplier(lhs_scales, output_scales)
    check_multiplier(rhs_scales, output_scales)
    ends = output_quantization_min_val, output_quantization_max_val
    return _quantized(total, output_scales, output_zero_points, output_quantization_axis, *ends, lhs.dtype)
