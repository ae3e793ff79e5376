"""Conversion of floats to small integers and back.

A *range* (two floats) and an integer type define the number that each integer represents. TensorFlow has three ways,
its `mode`:

- MIN_COMBINED: the type's smallest integer is the range's lower end, its largest the upper end;
- MIN_FIRST: the same with the lower end moved to the nearest step, so that 0 is a step;
- SCALED: 0 represents 0, and the range is made symmetric around it.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.trace_words import rank

F32 = np.dtype(np.float32)


def ends_of(dtype: np.dtype) -> tuple[int, int]:
    """The smallest and the largest integer of a type."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _steps(dtype: np.dtype) -> float:
    low, high = ends_of(dtype)
    return float(high - low + 1)


def number(end) -> float:
    """An end of a range: an array of one element, of whatever shape."""
    if np.size(end) != 1:
        raise ValueError(f"an end of a range must be rank 0 but is rank {np.ndim(end)}")
    return float(np.reshape(end, ()))


def _ends(low, high) -> tuple[float, float]:
    """Both ends of a range, scalars."""
    for end in (low, high):
        if np.ndim(end):
            raise ValueError(f"an end of a range must be rank 0 but is rank {np.ndim(end)}")
    return float(low), float(high)


def to_float(q, low, high) -> np.ndarray:
    """The floats that integers represent in a range, by the rule of MIN_FIRST.

    Wide integers skip the rounding of its lower end.
    """
    low, high = _ends(low, high)
    if low == high:
        return np.full(np.shape(q), low)
    steps = _steps(q.dtype)
    step = (high - low) * (steps / (steps - 1)) / steps
    first = low if q.dtype.itemsize == 4 else np.round(low / step) * step
    return first + (q.astype(np.float64) - ends_of(q.dtype)[0]) * step


def to_integer_unclamped(x, low, high, dtype: np.dtype):
    """The integer for a number by the rule of MIN_FIRST, also outside of the type's range."""
    low, high = _ends(low, high)
    if low == high:
        return np.zeros(np.shape(x))
    steps = _steps(dtype)
    per_unit = steps / ((high - low) * (steps / (steps - 1)))
    return _away(np.asarray(x, np.float64) * per_unit) - _away(np.float64(low) * per_unit) + ends_of(dtype)[0]


def to_integer(x, low, high, dtype: np.dtype) -> np.ndarray:
    return np.clip(to_integer_unclamped(x, low, high, dtype), *ends_of(dtype)).astype(dtype)


def _away(x):
    """Rounded, halves away from 0."""
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def _rounded(x, mode: str):
    return np.rint(x) if mode in ("HALF_TO_EVEN",) else np.floor(x + 0.5) if mode == "HALF_UP" else _away(x)


def _by_axis(values, x, axis: int):
    """A value for each slice along an axis, in a shape that broadcasts with `x`."""
    values = np.asarray(values, np.float32)
    if axis == -1:
        return values.reshape(()) if values.size == 1 else values
    return values.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])


def _scale(low, high, q_low: int, q_high: int):
    """SCALED: integers for each unit, and the range that the integers cover then."""
    largest = np.float32(np.finfo(np.float32).max)
    of_low = np.where(q_low * low > 0, np.float32(q_low) / low, largest)
    of_high = np.where(q_high * high > 0, np.float32(q_high) / high, largest)
    from_low = of_low < of_high
    unit = np.where(from_low, low / np.float32(q_low or 1), high / np.float32(q_high)).astype(F32)
    scale = np.where(from_low, of_low, of_high).astype(F32)
    return scale, unit, np.where(from_low, low, q_low * unit), np.where(from_low, q_high * unit, high)


# --- there and back ---------------------------------------------------------------------------------------------------


def _there_and_back(x, low, high, signed, bits, given, narrow, axis, rounding="HALF_TO_EVEN"):
    """Floats rounded to what integers can express: SCALED, in the given range or in that of the numbers themselves."""
    if bits < 1 or bits > (62 if signed else 63):
        raise ValueError(f"num_bits is out of range: {bits} with signed_input {str(bool(signed)).lower()}")
    if given:
        low, high = _by_axis(low, x, axis), _by_axis(high, x, axis)
        if not np.all(low <= high):
            raise ValueError(f"Invalid range: input_min {low} > input_max {high}")
    else:
        axes = None if axis == -1 else tuple(i for i in range(x.ndim) if i != axis % x.ndim)
        low, high = (f(x, axes, keepdims=axes is not None).astype(F32) for f in (np.min, np.max))
    q_high = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    q_low = (-q_high if narrow else -(1 << (bits - 1))) if signed else 0
    scale, unit, low, high = _scale(low.astype(F32), high.astype(F32), q_low, q_high)
    inside = np.clip(x, low.astype(x.dtype), high.astype(x.dtype)) if given else x
    return (_rounded(inside * scale.astype(x.dtype), rounding) * unit.astype(x.dtype)).astype(x.dtype)


def _straight_through(xp, attrs, inputs, outputs, cts, wanted):
    """Rounding has no useful derivative: the cotangent passes as it is."""
    return (cts[0],) + (None,) * (len(inputs) - 1)


def _check_axis(input, low, high, axis: int) -> None:
    """One range for everything, or one for each position along an axis."""
    if not -1 <= axis < input.ndim:
        raise ValueError(
            f"Axis should be -1 or 0 or a positive value less than {input.ndim}, but given axis value was {axis}"
        )
    if axis == -1:
        require.scalars(input_min=low, input_max=high)
    else:
        require.vectors(input.shape[axis], input_min=low, input_max=high)


def _in_range(
    _, input, input_min, input_max, signed_input=True, num_bits=8, range_given=False, round_mode="HALF_TO_EVEN",
    narrow_range=False, axis=-1,
):
    """The kernel of versions 2 and 4: the first takes one range for all slices alone."""
    if axis < -1:
        raise ValueError(f"Axis must be at least -1. Found {axis}")
    if input_min.ndim or input_max.ndim or axis == -1:
        _check_axis(input, input_min, input_max, axis)
    elif axis >= input.ndim:
        raise ValueError(f"Shape must be at least rank {axis + 1} but is rank {input.ndim}")
    options = signed_input, num_bits, range_given, narrow_range, axis, round_mode
    return _there_and_back(input, input_min, input_max, *options)


@op("QuantizeAndDequantizeV2", shape=rules.same, grad=_straight_through, host=True)
def quantize_and_dequantize_v2(_, input, input_min, input_max, range_given=False, **options):
    if range_given:
        require.scalars(input_min=input_min, input_max=input_max)
        if -1 < options.get("axis", -1) < input.ndim:  # TensorFlow requires one range here and several there
            raise ValueError("Shape must be rank 1 for input_min_tensor when the axis is specified")
    else:
        input_min = input_max = np.zeros((), input.dtype)  # the given values are ignored, whatever their shape
    return _in_range(_, input, input_min, input_max, range_given=range_given, **options)


@op("QuantizeAndDequantize", shape=rules.same, grad=NO_GRADIENT, host=True)
def quantize_and_dequantize(
    _, input, signed_input=True, num_bits=8, range_given=False, input_min=0.0, input_max=0.0
):
    low, high = np.asarray(input_min, input.dtype), np.asarray(input_max, input.dtype)
    return _there_and_back(input, low, high, signed_input, num_bits, range_given, False, -1)


def _v3_check(f):
    wanted = 0 if f.attr("axis", -1) == -1 else 1
    for dims in f.shapes[1:3]:
        rank(dims, wanted)
    rank(f.shapes[3], 0)


@op("QuantizeAndDequantizeV3", shape=rules.same, grad=_straight_through, host=True, trace_check=_v3_check)
def quantize_and_dequantize_v3(
    _, input, input_min, input_max, num_bits, signed_input=True, range_given=True, narrow_range=False, axis=-1
):
    if not -1 <= axis < input.ndim or not input.ndim:
        raise ValueError(f"Axis requested is larger than input dimensions. Axis: {axis} Input Dimensions: {input.ndim}")
    if num_bits.ndim:
        raise ValueError("The `num_bits` tensor should be a scalar.")
    for name, end in (("input_min_tensor", input_min), ("input_max_tensor", input_max)):
        if axis != -1 and end.ndim != 1:
            raise ValueError(f"Shape must be rank 1 for {name} when the axis is specified")
    if axis == -1:
        input_min, input_max = (np.asarray(number(end), input.dtype) for end in (input_min, input_max))
    if range_given or axis == -1:
        _check_axis(input, input_min, input_max, axis)
    options = signed_input, int(num_bits), range_given, narrow_range, axis
    return _there_and_back(input, input_min, input_max, *options)


def _v4_grad(xp, attrs, inputs, outputs, cts, wanted):
    x, low, high = inputs
    axis = attrs.get("axis", -1)
    if axis != -1:
        low, high = (xp.reshape(v, tuple(-1 if i == axis else 1 for i in range(x.ndim))) for v in (low, high))
    inside = xp.logical_and(xp.greater_equal(x, low), xp.less_equal(x, high))
    return xp.select(inside, cts[0], xp.zeros_like(cts[0])), xp.zeros_like(inputs[1]), xp.zeros_like(inputs[2])


@op("QuantizeAndDequantizeV4", shape=rules.same, grad=_v4_grad, host=True)
def quantize_and_dequantize_v4(_, input, input_min, input_max, axis=-1, **options):
    if axis > -1 and not (input_min.ndim == input_max.ndim == 1):
        name = "input_min_tensor" if input_min.ndim != 1 else "input_max_tensor"
        raise ValueError(f"Shape must be rank 1 for {name} when the axis is specified")
    return _in_range(_, input, input_min, input_max, axis=axis, **options)


@op("QuantizeAndDequantizeV4Grad", shape=lambda f: [f.shapes[0], f.shapes[2], f.shapes[3]], grad=NO_GRADIENT)
def quantize_and_dequantize_v4_grad(xp, gradients, input, input_min, input_max, axis=-1):
    if tuple(gradients.shape) != tuple(input.shape):
        raise ValueError("gradient and input must be the same size")
    _check_axis(input, input_min, input_max, axis)
    return _v4_grad(xp, {"axis": axis}, (input, input_min, input_max), None, (gradients,), None)


# --- to integers ------------------------------------------------------------------------------------------------------


def _widened(low, high, least: float):
    """A range that holds 0 and is not too narrow."""
    low = np.minimum(np.float32(0), low).astype(F32)
    reach = np.maximum(np.float32(1), np.maximum(np.abs(low), np.abs(high))) * np.float32(least)
    return low, np.maximum(np.float32(0), np.maximum(high, low + reach)).astype(F32)


def _check_slices(input, low, high, axis: int) -> None:
    """Ranges of slices: one for each place along an axis."""
    for name, end in (("min_range", low), ("max_range", high)):
        if end.shape != (input.shape[axis],):
            wanted = (
                f"{name} must be a 1-D tensor whose size matches the axis dimension of the input and output tensors"
            )
            raise ValueError(f"If axis is specified, {wanted}, but {name} dims are {end.ndim}")


def _of_range(f):
    return [f.shapes[0], f.shapes[1], f.shapes[2]]


@op("QuantizeV2", shape=_of_range, grad=NO_GRADIENT, host=True)
def quantize(
    _, input, min_range, max_range, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", narrow_range=False,
    axis=-1, ensure_minimum_range=0.01,
):
    if axis >= input.ndim:
        words = "Axis is on a zero-based index, so its value must always be less than number of input's dims"
        raise ValueError(f"{words}, but given axis value was {axis}")
    if axis > -1:
        _check_slices(input, min_range, max_range, axis)
    else:
        axis = -1
        min_range, max_range = (np.asarray(number(end), F32) for end in (min_range, max_range))
    if min_range.shape == max_range.shape and (min_range > max_range).any():
        raise ValueError("input_max_range must be larger than input_min_range.")
    low, high = _widened(min_range, max_range, ensure_minimum_range)
    dtype = T.np_dtype
    q_low, q_high = ends_of(dtype)
    at_low, at_high = _by_axis(low, input, axis), _by_axis(high, input, axis)
    if mode == "MIN_COMBINED":
        half = np.float32((q_high - q_low + 1) / 2 if q_low < 0 else 0)
        per_unit = np.float32(q_high - q_low) / (at_high - at_low)
        numbers = (np.clip(input, at_low, at_high) - at_low) * per_unit - half
        return _away(numbers).astype(dtype), low, high
    if mode == "MIN_FIRST":
        return to_integer(input, low, high, dtype), low, high
    q_low += bool(narrow_range and q_low < 0)
    scale, _unit, new_low, new_high = _scale(at_low, at_high, q_low, q_high)
    numbers = np.clip(input, new_low, new_high) * scale
    ends = (np.reshape(v, np.shape(low)).astype(F32) for v in (new_low, new_high))
    return np.clip(_rounded(numbers, round_mode), q_low, q_high).astype(dtype), *ends


def _from_first(q, low, high) -> np.ndarray:
    """`to_float` in the precision of the op `Dequantize`: its step is a float32, which decides how a half rounds."""
    if float(low) == float(high) or q.dtype.itemsize == 4:
        return to_float(q, low, high)
    q_low, q_high = ends_of(q.dtype)
    step = np.float32((high - low) / float(q_high - q_low))
    first = _away(np.float32(low) / step) * step
    return first + (q.astype(F32) - np.float32(q_low)) * step


@op("Dequantize", shape=rules.same, grad=NO_GRADIENT, host=True)
def dequantize(_, input, min_range, max_range, mode="MIN_COMBINED", narrow_range=False, axis=-1, dtype=None):
    out = F32 if dtype is None else dtype.np_dtype
    q_low, q_high = ends_of(input.dtype)
    if axis >= input.ndim:
        raise ValueError(f"Axis must be less than input dimension({input.ndim}), got {axis}")
    if out.itemsize == 2 and mode != "MIN_COMBINED":
        raise ValueError(f"When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '{mode}'")
    axis = max(axis, -1)
    expected = 1 if axis == -1 else input.shape[axis]
    for name, end in (("input_min_tensor", min_range), ("input_max_tensor", max_range)):
        if end.size != expected:
            wanted = (
                f"as many elements as input on the dequantization axis ({axis}), got {end.size}, expected {expected}"
            )
            raise ValueError(f"{name} must have {wanted}")
    low, high = _by_axis(min_range, input, axis), _by_axis(max_range, input, axis)
    x = input.astype(F32)
    if mode == "MIN_COMBINED":
        half = np.float32((q_high - q_low + 1) / 2 if q_low < 0 else 0)
        return ((x + half) * ((high - low) / np.float32(q_high - q_low)) + low).astype(out)
    if mode == "MIN_FIRST":
        return _from_first(input, low, high).astype(out)
    q_low += bool(narrow_range and q_low < 0)
    step = high / np.float32(q_high) if not q_low else np.maximum(low / np.float32(q_low), high / np.float32(q_high))
    return (x * step).astype(out)


# --- to other integers ------------------------------------------------------------------------------------------------


def _used_range(q, low, high) -> tuple[np.float32, np.float32]:
    """The part of a range that the integers use; its lower end is at most 0."""
    ends = np.array([q.min(), q.max()], q.dtype) if q.size else np.zeros(2, q.dtype)
    first, last = to_float(ends, low, high)
    return np.float32(first if first < 0 else 0.0), np.float32(last)


def _again(q, low, high, new_low, new_high, dtype):
    if q.dtype == np.int32 and dtype == np.uint8:
        out = _narrowed(q, *_ends(low, high), *_ends(new_low, new_high))
    else:
        out = to_integer(to_float(q, low, high).astype(F32), new_low, new_high, dtype)
    return out, np.float32(new_low), np.float32(new_high)


def _narrowed(q, low, high, new_low, new_high) -> np.ndarray:
    """32 bits to 8 in fixed point with 16 bits of fraction, as TensorFlow computes it."""
    one, reach = 1 << 16, np.float32(new_high) - np.float32(new_low)
    if reach == 0:
        return np.zeros(q.shape, np.uint8)
    per_unit = np.float32(255.0 * one) / reach
    factors = np.float32(high - low), np.float32((high + low) / 2), np.float32(new_low)
    fixed_factors = [f * per_unit for f in factors]
    if not np.isfinite(fixed_factors).all():
        return np.zeros(q.shape, np.uint8)
    scale, middle, first = int(fixed_factors[0]), int(fixed_factors[1]), int(np.round(fixed_factors[2]))
    fixed = ((q.astype(np.int64) * scale) >> 32) + middle - first + (one >> 1)
    return np.clip(fixed >> 16, 0, 255).astype(np.uint8)


def _arrays(q, low, high):
    return q, np.asarray(low, F32), np.asarray(high, F32)


@op("RequantizationRange", fits="* 0 0", shape=lambda f: [(), ()], grad=NO_GRADIENT, host=True)
def requantization_range(_, input, input_min, input_max):
    return tuple(np.asarray(v) for v in _used_range(input, number(input_min), number(input_max)))


@op("Requantize", fits="* 0 0 0 0", shape=lambda f: [f.shapes[0], (), ()], grad=NO_GRADIENT, host=True)
def requantize(_, input, input_min, input_max, requested_output_min, requested_output_max, out_type):
    require.rank_zero(
        input_min=input_min, input_max=input_max, requested_output_min=requested_output_min,
        requested_output_max=requested_output_max,
    )
    wanted = requested_output_min, requested_output_max
    if not requested_output_max >= requested_output_min:
        ends = f"{float(requested_output_max):g} and {float(requested_output_min):g}"
        raise ValueError(f"requested_output_max must be >= requested_output_min, but got {ends}")
    if requested_output_min > 0:
        raise ValueError(f"requested_output_min must be <= 0, but got {float(requested_output_min):g}")
    return _arrays(*_again(input, input_min, input_max, *wanted, out_type.np_dtype))


@op("QuantizeDownAndShrinkRange", fits="* 0 0", shape=lambda f: [f.shapes[0], (), ()], grad=NO_GRADIENT, host=True)
def quantize_down_and_shrink_range(_, input, input_min, input_max, out_type):
    used = _used_range(input, input_min, input_max)
    return _arrays(*_again(input, input_min, input_max, *used, out_type.np_dtype))
