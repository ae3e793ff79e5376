"""Shape arithmetic that both sides of the facade share: plain Python on ints and tuples, no arrays of data.

- An *axis argument* may be negative; `axes` may be a tuple, one int or None (all axes).
- *Slice bounds* are those of TensorFlow's StridedSlice after masks were applied: with a positive stride they
  mean what they mean in Python; with a negative stride a negative `end` means "before the first element".
- A *window* slides over the spatial axes (all but the first, batch, and the last, channels). Its *taps* are
  the window's positions, in row-major order; tap k of output position i reads the padded input at `i * stride
  + k * dilation`.
- An einsum *plan* says how a product of two operands becomes one batched matrix multiplication.
"""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

FLOATS = "fV"  # dtype.kind of NumPy's own and of ml_dtypes' floats


def is_narrow(dtype):
    """True for floats of 8 and 16 bits, which are computed in float32 and rounded once."""
    kind = dtype.kind
    return (kind == "f" and dtype.itemsize < 4) or kind == "V"


def arange_length(start, stop, step, dtype):
    """How many numbers `arange` makes: in float32 (1.1 - 0.1) / 0.1 is 10, exactly it is more."""
    if dtype.kind not in FLOATS:
        return len(range(start, stop, step))
    kind = dtype.type
    return max(0, math.ceil(float((kind(stop) - kind(start)) / kind(step))))


def is_float(dtype):
    return dtype.kind in FLOATS


def real_dtype(dtype):
    """complex64 -> float32, complex128 -> float64, anything else unchanged."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def complex_dtype(dtype):
    """float32 -> complex64, float64 -> complex128, complex unchanged."""
    return np.dtype(f"c{dtype.itemsize * 2}") if dtype.kind == "f" else dtype


@functools.lru_cache(maxsize=64)
def limits(dtype):
    """(lowest, highest) finite values of a dtype as read-only 0-d arrays."""
    if dtype.kind == "b":
        pair = (False, True)
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        pair = (info.min, info.max)
    else:
        import ml_dtypes

        info = ml_dtypes.finfo(dtype)
        pair = (info.min, info.max)
    return _frozen(pair, dtype)


def lowest(dtype):
    """The lowest finite value of a dtype, 0-d."""
    return limits(dtype)[0]


def highest(dtype):
    """The highest finite value of a dtype, 0-d."""
    return limits(dtype)[1]


def lowest_like(x):
    """The lowest finite value of x's dtype, 0-d."""
    return limits(x.dtype)[0]


def static_int(x):
    """A scalar operand as a Python int."""
    return int(x.reshape(()))


def static_axes(axes):
    """An operand of axes (0-d or a vector) as Python ints."""
    return tuple(np.reshape(axes, -1).tolist())


@functools.lru_cache(maxsize=64)
def extremes(dtype):
    """Like `limits`, but infinities where the dtype has them: the identities of max and min."""
    if is_float(dtype):
        infinity = np.array(np.inf, dtype)
        if np.isinf(infinity):
            return _frozen((-np.inf, np.inf), dtype)
    return limits(dtype)


def _frozen(values, dtype):
    arrays = tuple(np.array(value, dtype) for value in values)
    for array in arrays:
        array.flags.writeable = False
    return arrays


def axis_of(axis, ndim):
    return axis + ndim if axis < 0 else axis


def axes_of(axes, ndim):
    """Axes as a tuple of ints in [0, ndim)."""
    if axes is None:
        return tuple(range(ndim))
    if isinstance(axes, int):
        axes = (axes,)
    return tuple([axis + ndim if axis < 0 else axis for axis in axes])


def reduced_shape(shape, axes, keepdims):
    axes = axes_of(axes, len(shape))
    if keepdims:
        return tuple([1 if i in axes else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in axes])


def reduced_count(shape, axes):
    return math.prod([shape[i] for i in axes_of(axes, len(shape))])


def broadcast_shape(*shapes):
    """NumPy's broadcasting rule (np.broadcast_shapes is ten times slower)."""
    result = []
    for dims in itertools.zip_longest(*[reversed(shape) for shape in shapes], fillvalue=1):
        sizes = {d for d in dims if d != 1}
        if len(sizes) > 1:
            raise ValueError(f"Incompatible shapes: {' and '.join(map(str, shapes))}")
        result.append(sizes.pop() if sizes else 1)
    return tuple(reversed(result))


def axes_to_sum(from_shape, to_shape):
    """The axes over which a gradient of `from_shape` is summed to undo broadcasting from `to_shape`."""
    extra = len(from_shape) - len(to_shape)
    ones = [extra + i for i, n in enumerate(to_shape) if n == 1 and from_shape[extra + i] != 1]
    return tuple(range(extra)) + tuple(ones)


class Bounds(NamedTuple):
    """One axis of a strided slice: `size` elements from `first` in steps of `stride`."""

    first: int
    size: int
    stride: int

    @property
    def slice(self):
        if not self.size:
            return slice(0, 0, 1)
        end = self.first + self.size * self.stride
        return slice(self.first, end if end >= 0 else None, self.stride)


def slice_bounds(begin, end, stride, n):
    if stride > 0:
        first, last, _ = slice(begin, end, stride).indices(n)
        return Bounds(first, max(0, -((first - last) // stride)), stride)
    first = n - 1 if begin is None else min(begin, n - 1)
    last = -1 if end is None or end < 0 else end
    return Bounds(first, max(0, -((last - first) // -stride)) if first >= 0 else 0, stride)


def fill_to(axes_values, ndim, default):
    """A per-axis tuple extended to all axes."""
    return tuple(axes_values) + (default,) * (ndim - len(axes_values))


def mirror_indices(n, before, after, mode):
    """Which source index each position of a mirror-padded axis reads."""
    edge = 1 if mode == "REFLECT" else 0
    left = range(before - 1 + edge, edge - 1, -1)
    right = range(n - 1 - edge, n - 1 - edge - after, -1)
    return np.array([*left, *range(n), *right], np.int32)


class Window(NamedTuple):
    """The geometry of a convolution or pooling over the spatial axes."""

    size: tuple
    strides: tuple
    padding: tuple
    dilations: tuple
    padded: tuple
    out: tuple

    def taps(self):
        """Yields (tap, slices): the tap's index tuple and what it reads of the padded spatial axes."""
        for tap in itertools.product(*map(range, self.size)):
            yield (
                tap,
                tuple(
                    [
                        slice(k * d, k * d + (n - 1) * s + 1, s)
                        for k, d, s, n in zip(tap, self.dilations, self.strides, self.out, strict=True)
                    ]
                ),
            )

    @property
    def is_pointwise(self):
        return all(k == 1 for k in self.size) and all(s == 1 for s in self.strides) and not self.is_padded

    @property
    def is_padded(self):
        return any(before or after for before, after in self.padding)


def window_of(spatial, size, strides, padding, dilations=None):
    rank = len(spatial)
    dilations = tuple(dilations) if dilations else (1,) * rank
    padded = tuple([n + before + after for n, (before, after) in zip(spatial, padding, strict=True)])
    out = tuple(
        [max(0, (n - (k - 1) * d - 1) // s + 1) for n, k, s, d in zip(padded, size, strides, dilations, strict=True)]
    )
    return Window(tuple(size), tuple(strides), tuple(map(tuple, padding)), dilations, padded, out)


def pool_counts(spatial, window):
    """How many real (not padded) elements each pooling window covers, shaped (*out, 1), float32."""
    counts = np.ones((1,), np.float32)
    for n, k, s, (before, _), out in zip(spatial, window.size, window.strides, window.padding, window.out, strict=True):
        first = np.arange(out) * s - before
        covered = np.minimum(first + k, n) - np.maximum(first, 0)
        counts = counts[..., None] * np.maximum(covered, 1).astype(np.float32)
    return counts[0][..., None] if spatial else counts


class EinsumPlan(NamedTuple):
    """Two operands, after summing labels that nothing else has, as a batched product of matrices.

    `perms` bring the left one to (batch, free, contracted) and the right one to (batch, contracted, free).
    The product is (batch, left free, right free), and `output_perm` brings it to the order of the output.
    """

    alone: tuple
    labels: tuple
    perms: tuple
    batch: str
    contracted: str
    output_perm: tuple


@functools.lru_cache(maxsize=1024)
def einsum_labels(equation, ranks):
    """(input labels, output labels) with the ellipsis replaced by capital-letter-free private labels."""
    equation = equation.replace(" ", "")
    left, arrow, output = equation.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise ValueError(f"einsum: {equation!r} names {len(inputs)} operands, received {len(ranks)}")
    width = max([rank - len(s.replace("...", "")) if "..." in s else 0 for s, rank in zip(inputs, ranks, strict=True)])
    spare = [chr(0x100 + i) for i in range(width)]
    expanded = []
    for labels, rank in zip(inputs, ranks, strict=True):
        if "..." in labels:
            own = rank - (len(labels) - 3)
            labels = labels.replace("...", "".join(spare[width - own :]))
        if len(labels) != rank:
            raise ValueError(f"einsum: {labels!r} in {equation!r} does not fit an operand of rank {rank}")
        expanded.append(labels)
    everything = "".join(expanded)
    if not arrow:
        output = "".join(spare) + "".join(sorted(c for c in set(everything) - set(spare) if everything.count(c) == 1))
    return tuple(expanded), output.replace("...", "".join(spare))


@functools.lru_cache(maxsize=1024)
def einsum_plan(equation, ranks):
    """A plan for two operands; None when there are not two, or a label repeats within one of them."""
    inputs, output = einsum_labels(equation, ranks)
    if len(inputs) != 2 or any(len(set(labels)) != len(labels) for labels in (*inputs, output)):
        return None
    x, y = inputs
    batch = "".join(c for c in x if c in y and c in output)
    contracted = "".join(c for c in x if c in y and c not in output)
    free = ["".join(c for c in own if c in output and c not in batch) for own in inputs]
    kept = [batch + contracted + own for own in free]
    alone = [tuple(i for i, c in enumerate(own) if c not in k) for own, k in zip(inputs, kept, strict=True)]
    labels = ["".join(c for c in own if c in k) for own, k in zip(inputs, kept, strict=True)]
    wanted = (batch + free[0] + contracted, batch + contracted + free[1])
    perms = [tuple(own.index(c) for c in want) for own, want in zip(labels, wanted, strict=True)]
    natural = batch + free[0] + free[1]
    output_perm = tuple(natural.index(c) for c in output)
    return EinsumPlan(tuple(alone), tuple(labels), tuple(perms), batch, contracted, output_perm)


def is_identity(perm):
    return perm == tuple(range(len(perm)))
