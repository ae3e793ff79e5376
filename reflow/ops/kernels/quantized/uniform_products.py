"""Products and convolutions of uniformly quantized integers (`uniform.py`), and of floats with them.

A product of integers minus their zero points is exact in 64 bits; its scale is the product of the operands' scales. The
*hybrid* ops have a float left operand, whose range they determine and quantize to 8 bits first, for each of its rows or
images.
"""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.core.types import Array
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.quantized.dimension_numbers import DimensionNumbers
from reflow.ops.kernels.quantized.uniform import check_ends, check_multiplier, check_parameters
from reflow.ops.registry import NO_GRADIENT, get, op
from reflow.ops.xp import host as host_xp

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
_FACTS: dict = {"grad": NO_GRADIENT, "host": True}
_LOW, _HIGH = -128, 127


def _quantized(acc: Array, scale: Array, zero: Array, low: int, high: int) -> Array:
    check_ends(low, high)
    check_multiplier(scale, np.ones(()))
    return np.clip(np.rint(acc * scale) + zero, low, high).astype(np.int32)


def _fitted(x: Array) -> tuple[Array, float]:
    """Floats as integers minus their zero point, and the scale of these: 8 bits for the range of the floats with 0."""
    low, high = min(float(x.min(initial=0)), 0.0), max(float(x.max(initial=0)), 0.0)
    if low == high:
        return np.zeros(x.shape), 1.0
    scale = (high - low) / (_HIGH - _LOW)
    zero = float(np.clip(np.rint(_LOW - low / scale), _LOW, _HIGH))
    return np.clip(np.rint(x / scale) + zero, _LOW, _HIGH) - zero, scale


def _check_operands(lhs: Array, rhs: Array) -> None:
    if lhs.ndim != 2 or rhs.ndim != 2 or lhs.shape[1] != rhs.shape[0]:
        raise errors.InvalidArgumentError(
            None, None,
            f"lhs and rhs must be matrices that fit, got {rules.text(lhs.shape)} and {rules.text(rhs.shape)}",
        )


def _check_columns(rhs: Array, scales: Array, zero_points: Array, axis: int) -> None:
    """Parameters of a right operand: one of each, or one for each column."""
    if axis not in (-1, 1):
        raise ValueError("rhs_quantization_axis Attr must be 1 (per-channel) or -1 (per-tensor).")
    check_parameters("rhs ", rhs, scales, zero_points, axis)


def _centred(q: Array, zero_points: Array) -> Array:
    """Integers minus their zero points; those of slices belong to the last axis."""
    return q.astype(np.int64) - zero_points


# --- products ---------------------------------------------------------------------------------------------------------


def _product_shape(f):
    (a, b), rank = f.shapes[:2], 2
    a, b = a or (None,) * rank, b or (None,) * rank
    return [(a[0], b[1])]


@op("UniformQuantizedDot", fits="2 2", shape=_product_shape, **_FACTS)
def uniform_quantized_dot(
    _, lhs, rhs, lhs_scales, lhs_zero_points, rhs_scales, rhs_zero_points, output_scales, output_zero_points,
    output_quantization_min_val, output_quantization_max_val, lhs_quantization_axis=-1, rhs_quantization_axis=-1,
    output_quantization_axis=-1,
):
    if lhs_quantization_axis != -1:
        raise ValueError("lhs_quantization_axis Attr must be -1 (per-tensor).")
    _check_operands(lhs, rhs)
    check_parameters("lhs ", lhs, lhs_scales, lhs_zero_points, -1)
    _check_columns(rhs, rhs_scales, rhs_zero_points, rhs_quantization_axis)
    acc = _centred(lhs, lhs_zero_points) @ _centred(rhs, rhs_zero_points)
    check_parameters("output ", acc, output_scales, output_zero_points, output_quantization_axis)
    scale = lhs_scales.astype(F64) * rhs_scales / output_scales
    return _quantized(acc, scale, output_zero_points, output_quantization_min_val, output_quantization_max_val)


@op("UniformQuantizedDotHybrid", fits="2 2", shape=_product_shape, **_FACTS)
def uniform_quantized_dot_hybrid(_, lhs, rhs, rhs_scales, rhs_zero_points, rhs_quantization_axis=-1):
    _check_operands(lhs, rhs)
    _check_columns(rhs, rhs_scales, rhs_zero_points, rhs_quantization_axis)
    right = _centred(rhs, rhs_zero_points)
    rows = [_fitted(row) for row in lhs]
    found = [(row @ right) * scale * rhs_scales for row, scale in rows]
    return np.array(found, F32).reshape(lhs.shape[0], rhs.shape[1])


# --- convolutions -----------------------------------------------------------------------------------------------------


def _convolved(lhs: Array, rhs: Array, numbers: DimensionNumbers, attrs: dict) -> Array:
    """The convolution of centered integers, in the requested order of axes."""
    rank = lhs.ndim
    spatial = rank - 2
    strides, dilations, spread = (
        _steps(name, attrs, spatial) for name in ("window_strides", "rhs_dilation", "lhs_dilation")
    )
    x = np.transpose(lhs, numbers.input_order()).astype(F64)
    w = np.transpose(rhs, numbers.kernel_order()).astype(F64)
    for axis, step in enumerate(spread, 1):
        x = _spread(x, axis, step)
    groups, batches = (_positive(name, attrs) for name in ("feature_group_count", "batch_group_count"))
    if x.shape[-1] // groups != w.shape[-2]:
        sizes = f"{x.shape[-1]} / {groups} != {w.shape[-2]}"
        wanted = (
            "lhs feature dimension size divided by feature_group_count must equal the rhs input feature dimension size"
        )
        raise ValueError(f"{wanted}, but {sizes}")
    pads = _pads(x.shape[1:-1], w.shape[:-2], strides, dilations, attrs)
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    out = _grouped(x, w, strides, dilations, groups, batches)
    return np.transpose(out, np.argsort(numbers.output_order()))


def _steps(name: str, attrs: dict, spatial: int) -> list[int]:
    """A positive number for each spatial axis; none means ones."""
    steps = list(attrs.get(name) or [1] * spatial)
    if len(steps) != spatial:
        raise ValueError(f"Size of {name} Attr must be dims - 2.")
    if min(steps, default=1) < 1:
        raise ValueError(f"All elements of {name} must be >= 1, given {steps}")
    return steps


def _positive(name: str, attrs: dict) -> int:
    count = attrs.get(name, 1)
    if count < 1:
        raise ValueError(f"{name} must be a positive integer, given: {count}")
    return count


def _spread(x: Array, axis: int, step: int) -> Array:
    """`step - 1` zeros between two entries of an axis."""
    if step == 1:
        return x
    dims = list(x.shape)
    dims[axis] = (dims[axis] - 1) * step + 1
    out = np.zeros(dims, x.dtype)
    out[(slice(None),) * axis + (slice(None, None, step),)] = x
    return out


def _pads(sizes, window, strides, dilations, attrs) -> list[tuple[int, int]]:
    padding, explicit = attrs["padding"], attrs.get("explicit_padding") or ()
    if padding not in ("EXPLICIT", "SAME", "VALID"):
        raise ValueError(f"padding Attr must be one of [EXPLICIT | SAME | VALID], but given: {padding}")
    if padding == "EXPLICIT":
        if len(explicit) != 2 * len(sizes):
            given = f"rank {len(sizes) + 2} and explicit_padding of size {len(explicit)}"
            raise ValueError(f"Size of explicit_padding Attr must be 2 * (rank - 2). Given {given}")
        return [(explicit[2 * i], explicit[2 * i + 1]) for i in range(len(sizes))]
    if padding == "VALID":
        return [(0, 0)] * len(sizes)
    total = [
        max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        for n, k, s, d in zip(sizes, window, strides, dilations, strict=True)
    ]
    return [(t // 2, t - t // 2) for t in total]


def _grouped(x, w, strides, dilations, groups: int, batches: int) -> Array:
    """A convolution of (batch, ..., channels) with (..., channels, outputs), in groups of channels or of rows."""
    parts_x = np.split(x, groups, -1) if groups > 1 else np.split(x, batches, 0)
    parts_w = np.split(w, max(groups, batches), -1)
    found = [_plain(a, b, strides, dilations) for a, b in zip(parts_x, parts_w, strict=True)]
    return np.concatenate(found, -1)


def _plain(x, w, strides, dilations) -> Array:
    """One group, over one to three axes."""
    spatial = x.ndim - 2
    more = 2 - spatial if spatial < 2 else 0
    x = x.reshape(x.shape[0], *[1] * more, *x.shape[1:])
    w = w.reshape(*[1] * more, *w.shape)
    steps, gaps = ([1, *[1] * more, *values, 1] for values in (strides, dilations))
    out = get("Conv3D" if spatial == 3 else "Conv2D").kernel(
        host_xp, x, w, strides=steps, padding="VALID", dilations=gaps
    )
    return out.reshape(out.shape[0], *out.shape[1 + more :])


def _along_features(values: Array, out: Array, feature: int) -> Array:
    return values if not values.ndim else values.reshape([-1 if i == feature else 1 for i in range(out.ndim)])


def _kernel_centred(rhs, scales, zero_points, numbers: DimensionNumbers, attrs: dict) -> Array:
    axis = attrs.get("rhs_quantization_axis", -1)
    if axis not in (-1, numbers.kernel_output):
        kinds = "-1 (per-tensor) or dimension_numbers.kernel_output_feature_dimension (per-channel)"
        raise ValueError(f"rhs_quantization_axis Attr must be {kinds}.")
    check_parameters("rhs ", rhs, scales, zero_points, axis)
    return rhs.astype(np.int64) - _along_features(zero_points, rhs, numbers.kernel_output)


def _convolution_shape(f):
    dims = f.shapes[0]
    return [None if dims is None else (None,) * len(dims)]


@op("UniformQuantizedConvolution", fits="2+ 2+ 0 0", shape=_convolution_shape, **_FACTS)
def uniform_quantized_convolution(
    _, lhs, rhs, lhs_scales, lhs_zero_points, rhs_scales, rhs_zero_points, output_scales, output_zero_points, **attrs
):
    numbers = DimensionNumbers.of(attrs.get("dimension_numbers", ""), lhs.ndim)
    if attrs.get("lhs_quantization_axis", -1) != -1:
        raise ValueError("lhs_quantization_axis Attr must be -1 (per-tensor).")
    check_parameters("lhs ", lhs, lhs_scales, lhs_zero_points, -1)
    acc = _convolved(
        lhs.astype(np.int64) - lhs_zero_points, _kernel_centred(rhs, rhs_scales, rhs_zero_points, numbers, attrs),
        numbers, attrs,
    )
    check_parameters("output ", acc, output_scales, output_zero_points, attrs.get("output_quantization_axis", -1))
    scale = _along_features(lhs_scales.astype(F64) * rhs_scales / output_scales, acc, numbers.output_feature)
    zero = _along_features(output_zero_points, acc, numbers.output_feature)
    return _quantized(acc, scale, zero, attrs["output_quantization_min_val"], attrs["output_quantization_max_val"])


@op("UniformQuantizedConvolutionHybrid", fits="2+ 2+", shape=_convolution_shape, **_FACTS)
def uniform_quantized_convolution_hybrid(_, lhs, rhs, rhs_scales, rhs_zero_points, **attrs):
    numbers = DimensionNumbers.of(attrs.get("dimension_numbers", ""), lhs.ndim)
    right = _kernel_centred(rhs, rhs_scales, rhs_zero_points, numbers, attrs)
    images = [_fitted(image) for image in np.moveaxis(lhs, numbers.input_batch, 0)]
    fitted = np.moveaxis(np.stack([image * scale for image, scale in images]), 0, numbers.input_batch)
    acc = _convolved(fitted, right, numbers, attrs)
    return (acc * _along_features(rhs_scales, acc, numbers.output_feature)).astype(F32)
