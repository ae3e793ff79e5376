"""Pooling with windows of unequal size, which shrinks a height or width by a ratio such as 1.4; and its gradients.

The windows of an axis are consecutive; a *pooling sequence* holds where each begins, and where the last one ends. It is
drawn for each call: either all windows have size k or k + 1 in random order (k is the ratio, rounded down), or,
pseudo-randomly, they are those of one random offset (Graham, "Fractional max-pooling", 2014). Overlapping windows have
one more element, the first of the next.
"""

from __future__ import annotations

import math
import os

import numpy as np

from reflow.core import errors
from reflow.core.types import Array
from reflow.ops import philox
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as host_xp

# --- sequences --------------------------------------------------------------------------------------------------------


class _Words:
    """The random words of a call: each sequence takes a whole number of blocks of four."""

    def __init__(self, seed: int, seed2: int) -> None:
        self.key = np.array([seed & 0xFFFFFFFFFFFFFFFF], np.uint64)
        self.counter = np.array([0, seed2 & 0xFFFFFFFFFFFFFFFF], np.uint64)
        self.block = 0

    def take(self, count: int) -> list[int]:
        blocks = -(-count // 4)
        words = philox.stream(host_xp, self.key, self.counter, blocks, first=self.block)
        self.block += blocks
        return np.stack(words, 1).reshape(-1).tolist()


def _pseudo_random_sizes(length: int, count: int, words: _Words) -> list[int]:
    ratio, k = length / count, length // count
    high, low = words.take(2)[:2]
    uniform = ((high & 0xFFFFF) << 32 | low) / 2**52
    # the first window has at most k + 1 elements, the last one at least k
    offset = uniform * min((k + 2) / ratio - 1, (length + 1 - k) / ratio - (count - 1))
    ends = [1, *(math.ceil(ratio * (i + offset)) for i in range(1, count)), length + 1]
    return np.diff(ends).tolist()


def _random_sizes(length: int, count: int, words: _Words) -> list[int]:
    sizes = [length // count + (i < length % count) for i in range(count)]
    drawn = words.take(count)
    for i in range(count - 1):
        j = i + drawn[i] % (count - i)
        sizes[i], sizes[j] = sizes[j], sizes[i]
    return sizes


def _sequence(length: int, count: int, words: _Words, pseudo_random: bool) -> Array:
    draw = _pseudo_random_sizes if pseudo_random else _random_sizes
    return np.cumsum([0, *draw(length, count, words)]).astype(np.int64)


def _windows(sequence: Array, length: int, overlapping: bool) -> list[slice]:
    return [
        slice(a, min(b + overlapping, length))
        for a, b in zip(sequence[:-1].tolist(), sequence[1:].tolist(), strict=True)
    ]


# --- pooling ----------------------------------------------------------------------------------------------------------


def _pooled_shape(f):
    dims, ratio = f.shapes[0], f.attrs["pooling_ratio"]
    if len(ratio) != 4:
        raise ValueError("pooling_ratio field must specify 4 dimensions")
    if any(r < 1 for r in ratio):
        raise ValueError(f"pooling_ratio cannot be smaller than 1, got: {min(ratio):g}")
    if dims is None:
        return [(None,) * 4, (None,), (None,)]
    out = tuple(None if d is None else int(d / r) for d, r in zip(dims, ratio, strict=True))
    return [out, *((None if d is None else d + 1,) for d in out[1:3])]


def _checked_sizes(what: str, value: Array, ratio: list[float]) -> list[int]:
    if len(ratio) != value.ndim:
        raise _invalid(
            "pooling_ratio and input dimensions must match" if len(ratio) == 4
            else "pooling_ratio field must specify 4 dimensions"
        )
    if ratio[0] != 1 or ratio[3] != 1:
        words = f"Fractional {what} pooling is not yet supported on the batch nor channel dimension."
        raise errors.UnimplementedError(None, None, words)
    if any(r < 1 for r in ratio):
        raise _invalid(f"pooling_ratio cannot be smaller than 1, got: {min(ratio):g}")
    for i, (d, r) in enumerate(zip(value.shape, ratio, strict=True)):
        if d < r:
            sizes = f"Input dim size: {d} pooling ratio: {r:g}"
            raise _invalid(f"Pooling ratio is higher than input dimension size for dimension {i}. {sizes}")
    return [int(d / r) for d, r in zip(value.shape, ratio, strict=True)]


def _invalid(words: str) -> Exception:
    return errors.InvalidArgumentError(None, None, words)


def _seeds(deterministic: bool, seed: int, seed2: int) -> tuple[int, int]:
    if not deterministic and (seed or seed2):
        raise _invalid("Both seed and seed2 should be 0 if deterministic is false.")
    draw = lambda: int.from_bytes(os.urandom(8), "little")
    return (seed, seed2) if seed or seed2 else (draw(), draw())


def _register(what: str, reduce, grad_tensors) -> None:
    @op(
        f"Fractional{what.capitalize()}Pool", fits="4", shape=_pooled_shape, host=True, grad_tensors=grad_tensors,
        pure=True,
    )
    def kernel(_, value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0):
        sizes = _checked_sizes(what, value, pooling_ratio)
        words = _Words(*_seeds(deterministic, seed, seed2))
        rows, columns = (_sequence(value.shape[i], sizes[i], words, pseudo_random) for i in (1, 2))
        return reduce(value, *_both(rows, columns, value.shape, overlapping)), rows, columns


def _both(rows: Array, columns: Array, dims: tuple[int, ...], overlapping: bool) -> tuple[list[slice], list[slice]]:
    """The windows of both axes of an image."""
    return _windows(rows, dims[1], overlapping), _windows(columns, dims[2], overlapping)


def _maximum(x: Array, rows: list[slice], columns: list[slice]) -> Array:
    tall = np.stack([x[:, r].max(1) for r in rows], 1)
    return np.stack([tall[:, :, c].max(2) for c in columns], 2)


def _average(x: Array, rows: list[slice], columns: list[slice]) -> Array:
    tall = np.stack([x[:, r].sum(1) for r in rows], 1)
    total = np.stack([tall[:, :, c].sum(2) for c in columns], 2)
    return (total / _counts(rows, columns)).astype(x.dtype)


def _counts(rows: list[slice], columns: list[slice]) -> Array:
    """How many elements each window has, with an axis for channels."""
    return np.outer([r.stop - r.start for r in rows], [c.stop - c.start for c in columns])[:, :, None]


# --- gradients --------------------------------------------------------------------------------------------------------


def _max_grad(attrs, inputs, outputs, cts, wanted):
    (x,), (y, rows, columns) = inputs, outputs
    return (run("FractionalMaxPoolGrad", x, y, cts[0], rows, columns, overlapping=attrs["overlapping"]),)


def _average_grad(attrs, inputs, outputs, cts, wanted):
    (x,), (_, rows, columns) = inputs, outputs
    size = run("Shape", x, out_type=rows.dtype)
    return (run("FractionalAvgPoolGrad", size, cts[0], rows, columns, overlapping=attrs["overlapping"]),)


_register("max", _maximum, _max_grad)
_register("avg", _average, _average_grad)


@op("FractionalMaxPoolGrad", shape=rules.same, host=True, grad=NO_GRADIENT)
def fractional_max_pool_grad(
    _, orig_input, orig_output, out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping=False
):
    """Each cotangent, at the first maximum of its window."""
    _four_axes(orig_input=orig_input, orig_output=orig_output, out_backprop=out_backprop)
    x, batch, channels = orig_input, orig_input.shape[0], orig_input.shape[3]
    if out_backprop.shape != orig_output.shape:
        raise _invalid("out_backprop must be the same shape as orig_output")
    _checked_sequences(row_pooling_sequence, col_pooling_sequence, out_backprop.shape)
    out = np.zeros_like(x)
    rows, columns = _both(row_pooling_sequence, col_pooling_sequence, x.shape, overlapping)
    at = np.ogrid[:batch, :channels]
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            window = x[:, r, c].reshape(batch, -1, channels)
            if not window.shape[1] or not (window.max(1) == orig_output[:, i, j]).all():
                raise _invalid("tensor_out_dup is not the same as tensor_out")
            first = window.argmax(1)
            place = r.start + first // (c.stop - c.start), c.start + first % (c.stop - c.start)
            out[at[0], place[0], place[1], at[1]] += out_backprop[:, i, j]
    return out


def _four_axes(**tensors: Array) -> None:
    for name, x in tensors.items():
        if x.ndim != 4:
            raise _invalid(f"{name} must be 4-dimensional")


def _checked_sequences(rows: Array, columns: Array, dims: tuple[int, ...]) -> None:
    """Pooling sequences of a gradient: vectors of places, one more than there are windows."""
    for short, long, sequence, windows in (("row", "Row", rows, dims[1]), ("col", "Column", columns, dims[2])):
        if sequence.ndim != 1:
            raise _invalid(f"{short}_pooling_sequence must be a vector, received shape {rules.text(sequence.shape)}")
        if (sequence < 0).any():
            raise _invalid(
                f"{long} sequence tensor values must not be negative, got {' '.join(map(str, sequence.tolist()))}"
            )
        if sequence.size != windows + 1:
            least = f"{short}_seq_tensor must have at least {windows + 1} elements, but got {sequence.size}"
            raise _invalid(f"Given out_backprop shape {rules.text(dims)}, {least}")


def _stated_shape(f):
    return [f.values[0] if isinstance(f.values[0], tuple) else (None,) * 4]


@op("FractionalAvgPoolGrad", shape=_stated_shape, host=True, grad=NO_GRADIENT)
def fractional_avg_pool_grad(
    _, orig_input_tensor_shape, out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping=False
):
    """Each cotangent, in equal parts to the elements of its window."""
    if orig_input_tensor_shape.shape != (4,):
        raise _invalid("original input tensor shape must be1-dimensional and 4 elements")
    _four_axes(out_backprop=out_backprop)
    _checked_sequences(row_pooling_sequence, col_pooling_sequence, out_backprop.shape)
    dims = tuple(orig_input_tensor_shape.tolist())
    rows, columns = _both(row_pooling_sequence, col_pooling_sequence, dims, overlapping)
    shares = out_backprop / _counts(rows, columns)
    out = np.zeros(dims, np.float64)
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            out[:, r, c] += shares[:, i, j][:, None, None]
    return out.astype(out_backprop.dtype)
