"""Layers on quantized integers: batch and instance normalization, resizing; and per-channel ranges.

A layer's integers come with the two ends of their range (`conversion.py`). A tensor with a range per channel is
*symmetric*: zero represents 0, and the largest integer of its type the larger end.
"""

from __future__ import annotations

import numpy as np

from reflow.core.types import Array
from reflow.ops import require
from reflow.ops.kernels.image.resize import between_pixels
from reflow.ops.kernels.quantized.conversion import ends_of, number, to_float, to_integer
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as host_xp

F32 = np.dtype(np.float32)
_FACTS: dict = {"grad": NO_GRADIENT, "host": True}


def _scalars(*values) -> tuple[Array, ...]:
    return tuple(np.asarray(v, F32).reshape(()) for v in values)


def _same_and_range(f):
    return [f.shapes[0], (), ()]


# --- normalisation ----------------------------------------------------------------------------------------------------

_REACH = 1 << 20  # results are between plus and minus a million, with ten fractional bits


def _numbers(q, low, high) -> Array:
    """The floats that integers represent in a range whose ends may be arrays of one element."""
    return to_float(q, number(low), number(high))


@op(
    "QuantizedBatchNormWithGlobalNormalization", fits="[_,_,_,c] * * [c] * * [c] * * [c] * * [c]",
    shape=lambda f: [(f.shapes[0] or (None,) * 4), (), ()], **_FACTS,
)
def quantized_batch_norm(
    _, t, t_min, t_max, m, m_min, m_max, v, v_min, v_max, beta, beta_min, beta_max, gamma, gamma_min, gamma_max,
    out_type, variance_epsilon, scale_after_normalization,
):
    """In fixed point, as TensorFlow computes it: each number becomes an integer of the result's range first."""
    require.rank(4, t=t)
    require.rank(1, m=m, v=v, beta=beta, gamma=gamma)
    require.vectors(t.shape[3], m=m, v=v, beta=beta, gamma=gamma)
    gamma = _numbers(gamma, gamma_min, gamma_max)
    mean, variance = _numbers(m, m_min, m_max), _numbers(v, v_min, v_max)
    scale = 1 / np.sqrt(variance + variance_epsilon)
    if scale_after_normalization:
        scale = scale * gamma
    offset = _numbers(beta, beta_min, beta_max) - mean * scale

    def fixed(x):
        return to_integer(x, -_REACH, _REACH, out_type.np_dtype).astype(np.int64)

    product = fixed(_numbers(t, t_min, t_max)) * fixed(scale)
    one = int(fixed(1.0))
    towards_zero = np.sign(product) * (np.abs(product) // one)
    return (towards_zero + fixed(offset)).astype(out_type.np_dtype), *_scalars(-_REACH, _REACH)


def _check_order(low_name: str, low: float, high_name: str, high: float) -> None:
    # TensorFlow's threads take denormal numbers for 0
    if not low < high or abs(high) < np.finfo(F32).tiny and low == 0:
        raise ValueError(f"{low_name} must be less than {high_name} : {low:g} >= {high:g}")


@op("QuantizedInstanceNorm", fits="4 0 0", shape=_same_and_range, **_FACTS)
def quantized_instance_norm(
    _, x, x_min, x_max, output_range_given=False, given_y_min=0.0, given_y_max=0.0, variance_epsilon=1e-5,
    min_separation=1e-3,
):
    """Each channel of each image without its mean and deviation."""
    require.rank(4, x=x)
    require.rank_zero(x_min=x_min, x_max=x_max)
    _check_order("input_min", number(x_min), "input_max", number(x_max))
    numbers = _numbers(x, x_min, x_max)
    mean, variance = numbers.mean((1, 2), keepdims=True), numbers.var((1, 2), keepdims=True)
    y = (numbers - mean) / np.sqrt(variance + variance_epsilon)
    if output_range_given:
        _check_order("given_y_min", given_y_min, "given_y_max", given_y_max)
        low, high = given_y_min, given_y_max
    else:
        low, high = float(y.min()), float(y.max())
        high = max(high, low + min_separation)
    return to_integer(y, low, high, x.dtype), *_scalars(low, high)


# --- images -----------------------------------------------------------------------------------------------------------


def _resized_shape(f):
    batch, *_, channels = f.shapes[0] or (None,) * 4
    size = f.values[1] if isinstance(f.values[1], tuple) else (None, None)
    return [(batch, *size, channels), (), ()]


@op("QuantizedResizeBilinear", fits="4 [2] 0 0", shape=_resized_shape, static=("size",), **_FACTS)
def quantized_resize_bilinear(_, images, size, min, max, align_corners=False, half_pixel_centers=False):
    """The integers themselves between two pixels, in the range they came with."""
    require.scalars(min=min, max=max)
    require.rank(4, images=images)
    if not images.shape[3]:
        raise ValueError("image must have at least one channel")
    if images.dtype == np.int32:  # 32 bits of a float would not hold them
        numbers = to_float(images, min, max).astype(F32)
        resized = between_pixels(host_xp, numbers, size, align_corners, half_pixel_centers)
        return to_integer(resized, min, max, images.dtype), *_scalars(min, max)
    resized = between_pixels(host_xp, images.astype(F32), size, align_corners, half_pixel_centers)
    whole = resized if images.dtype == F32 else np.floor(resized + np.float32(0.5))
    return whole.astype(images.dtype), *_scalars(min, max)


# --- a range for each channel -----------------------------------------------------------------------------------------


def _reach(input, input_min, input_max) -> Array:
    """For each channel the greatest distance of its range from 0."""
    require.rank(4, input=input)
    require.vectors(input.shape[3], input_min=input_min, input_max=input_max)
    return np.maximum(np.abs(input_min), np.abs(input_max))


@op("RequantizationRangePerChannel", fits="* 1 1", shape=lambda f: [(), ()], grad=NO_GRADIENT, host=True)
def requantization_range_per_channel(_, input, input_min, input_max, clip_value_max):
    """The one range that holds all channels, not above `clip_value_max`."""
    reach = _reach(input, input_min, input_max)
    if not input.size:
        raise ValueError("input must not be empty")
    largest = np.abs(input.astype(np.int64)).max((0, 1, 2), initial=0)
    top = np.float32(min(float((reach * (largest / 2.0**31)).max(initial=0)), clip_value_max))
    return _scalars(0.0 if (input >= 0).all() else -top, top)


@op("RequantizePerChannel", fits="* 1 1 0 0", shape=_same_and_range, **_FACTS)
def requantize_per_channel(_, input, input_min, input_max, requested_output_min, requested_output_max, out_type):
    """Integers of a range a channel as integers of one range."""
    reach = _reach(input, input_min, input_max)
    least, most = number(requested_output_min), number(requested_output_max)
    if not least < 0 and out_type.np_dtype == np.int8:
        raise ValueError(f"If out_type is QINT8, requested_output_max must be non negative, got {least:g}")
    wanted = max(abs(least), abs(most))
    low, high = ends_of(out_type.np_dtype)
    scale = np.float32(high) * (reach / np.float32(wanted) / np.float32(2.0**31))
    found = np.clip(np.rint(input.astype(F32) * scale.astype(F32)), low, high)
    return found.astype(out_type.np_dtype), *_scalars(requested_output_min, requested_output_max)


@op("QuantizedReluX", fits="* 0 0 0", shape=_same_and_range, **_FACTS)
def quantized_relu_x(_, features, max_value, min_features, max_features, out_type):
    """Between 0 and `max_value`; the range stays."""
    low, high = (int(to_integer(end, min_features, max_features, features.dtype)) for end in (0.0, number(max_value)))
    return np.clip(features, low, high).astype(out_type.np_dtype), *_scalars(min_features, max_features)


