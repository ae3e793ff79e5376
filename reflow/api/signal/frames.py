"""`tf.signal`: windows, frames, and the short-time Fourier transform."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reflow.api.array.arrange import concat, get_static_value, reshape, shape, stack
from reflow.api.array.creation import linspace
from reflow.api.array.indexing import gather
from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import cumsum, reduce_sum
from reflow.api.math.special import bessel_i0
from reflow.api.scoped import scoped
from reflow.api.signal.fft import irfft, rfft
from reflow.core import dtypes, errors
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops.convert import constant, convert_to_tensor, from_array

# --- windows --------------------------------------------------------------------------------------------------------


def _raised_cosine(window_length, periodic, dtype, a, b, name):
    """`a - b * cos(2 * pi * i / n)`; a periodic window of even length is one sample short of a symmetric one."""
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    length = m.cast(convert_to_tensor(window_length), dtypes.int32)
    even = m.subtract(1, m.floormod(length, 2))
    n = m.cast(m.subtract(m.add(length, m.multiply(m.cast(convert_to_tensor(periodic), dtypes.int32), even)), 1), dtype)
    count = m.cast(_range(length), dtype)
    angle = m.divide(m.multiply(count, 2 * np.pi), n)
    window = m.subtract(a, m.multiply(b, call("Cos", (angle,))))
    if isinstance(length, EagerTensor) and int(length) == 1:
        return call("OnesLike", (window,), {}, name)
    return window


def _range(length):
    return call("Range", (constant(0), convert_to_tensor(length, dtypes.int32), constant(1)))


_WINDOW = """\
Args:
  window_length: The number of samples.
  periodic: Whether the window is one period of a periodic one, rather than symmetric; only matters for even lengths.
  dtype: The dtype of the window, of floats.
  name: A name for the operation.

Returns:
  A vector of `dtype`.
"""
_OF_FLOATS = """\
Raises:
  ValueError: `dtype` is not one of floats.
"""


@export("signal.hann_window")
@with_sections(_WINDOW)
@with_sections(_OF_FLOATS)
@scoped("hann_window")
def hann_window(window_length, periodic=True, dtype: Any = dtypes.float32, name=None):
    """Creates a Hann window, a raised cosine that falls to 0 at its ends.

    >>> tf.signal.hann_window(4).numpy().round(3).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5, name)


@export("signal.hamming_window")
@with_sections(_WINDOW)
@with_sections(_OF_FLOATS)
@scoped("hamming_window")
def hamming_window(window_length, periodic=True, dtype: Any = dtypes.float32, name=None):
    """Creates a Hamming window, a raised cosine that falls to 0.08 at its ends.

    >>> round(tf.signal.hamming_window(2).numpy().tolist()[0], 2)
    0.08
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46, name)


@export("signal.kaiser_window")
@scoped("kaiser_window")
@with_sections(_WINDOW)
def kaiser_window(window_length, beta: Any = 12.0, dtype: Any = dtypes.float32, name=None):
    """Creates a Kaiser window, made of a Bessel function.

    Args:
      beta: The shape; the greater, the narrower.

    >>> tf.signal.kaiser_window(1).numpy().tolist()
    [1.0]
    """
    dtype = dtypes.as_dtype(dtype)
    length = m.cast(convert_to_tensor(window_length), dtypes.int32)
    if isinstance(length, EagerTensor) and int(length) == 1:
        return from_array(np.ones(1, dtype.np_dtype))
    half = m.divide(m.cast(m.subtract(length, 1), dtype), 2.0)
    place = m.divide(m.subtract(m.cast(_range(length), dtype), half), half)
    beta = m.cast(convert_to_tensor(beta), dtype)
    inside = m.maximum(m.subtract(1.0, m.square(place)), 0.0)
    return m.divide(bessel_i0(m.multiply(beta, m.sqrt(inside))), bessel_i0(beta), name)


@export("signal.kaiser_bessel_derived_window")
@scoped("kaiser_bessel_derived_window")
@with_sections(_WINDOW)
def kaiser_bessel_derived_window(window_length, beta: Any = 12.0, dtype: Any = dtypes.float32, name=None):
    """Creates a window for the modified cosine transform, from running sums of a Kaiser window.

    Args:
      window_length: The number of samples, which is even.
      beta: The shape of the Kaiser window.

    >>> round(tf.signal.kaiser_bessel_derived_window(2).numpy().tolist()[0], 4)
    0.7071
    """
    half = m.floordiv(m.cast(convert_to_tensor(window_length), dtypes.int32), 2)
    sums = cumsum(kaiser_window(m.add(half, 1), beta, dtype))
    last = call("Slice", (sums, call("ExpandDims", (half, constant(0))), constant([1])))
    first = m.sqrt(m.divide(call("Slice", (sums, constant([0]), call("ExpandDims", (half, constant(0))))), last))
    return call("ConcatV2", (first, call("ReverseV2", (first, constant([0]))), constant(0)), {"N": 2}, name)


@export("signal.vorbis_window")
@scoped("vorbis_window")
@with_sections(_WINDOW)
def vorbis_window(window_length, dtype: Any = dtypes.float32, name=None):
    """Creates the window of the Vorbis format.

    >>> round(tf.signal.vorbis_window(2).numpy().tolist()[0], 4)
    0.7071
    """
    dtype = dtypes.as_dtype(dtype)
    length = m.cast(convert_to_tensor(window_length), dtypes.int32)
    place = m.divide(m.add(m.cast(_range(length), dtype), 0.5), m.cast(length, dtype))
    sine = call("Sin", (m.multiply(place, np.pi),))
    return call("Sin", (m.multiply(m.square(sine), np.pi / 2),), {}, name)


# --- frames ---------------------------------------------------------------------------------------------------------


def _int(value, what) -> int:
    """A size that must be known: an int, or an eager tensor."""
    if isinstance(value, (int, np.integer, EagerTensor)):
        return int(value)
    raise ValueError(f"`{what}` must be a known integer. Received: {value}")


def _size(value, what):
    """A size: an int if it is known, else a scalar tensor."""
    tensor = convert_to_tensor(value)
    tensor.shape.assert_has_rank(0)
    known = get_static_value(tensor)
    if known is None:
        return m.cast(tensor, dtypes.int32)
    if known.dtype.kind not in "iu":
        raise ValueError(f"`{what}` must be an integer. Received: {value}")
    return int(known)


def _positive(value, what):
    """A size that must not be 0."""
    size = _size(value, what)
    if isinstance(size, int) and size <= 0:
        raise ValueError(f"`{what}` must be a positive integer. Received: {size}")
    return size


def _count(samples, length, step, pad_end):
    """How many frames a signal has; all may be ints or tensors."""
    if isinstance(samples, int) and isinstance(length, int) and isinstance(step, int):
        return max(0, -(-samples // step) if pad_end else (samples - length + step) // step)
    count = (samples + step - 1) // step if pad_end else (samples - length + step) // step
    return m.maximum(count, 0) if isinstance(count, Tensor) else max(0, count)


@export("signal.frame")
@scoped("frame")
def frame(signal, frame_length, frame_step, pad_end=False, pad_value: Any = 0, axis=-1, name=None):
    """Cuts a signal into windows of `frame_length` samples that begin every `frame_step`.

    Args:
      signal: A tensor with at least one axis.
      frame_length: The number of samples in a window.
      frame_step: The number of samples from one beginning to the next.
      pad_end: Whether windows that reach beyond the end are filled up, rather than left out.
      pad_value: What they are filled up with.
      axis: The axis of the samples.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, with two axes, of windows and of samples, in the place of `axis`.

    Raises:
      ValueError: `signal` is a scalar, or a size is not an integer.

    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    """
    x = convert_to_tensor(signal)
    length, step = _size(frame_length, "frame_length"), _size(frame_step, "frame_step")
    rank = x.shape.rank
    if rank is None:
        return _frames_of_unknown_rank(x, length, step, pad_end, pad_value, axis, name)
    if rank == 0:
        raise ValueError(f"Shape {x.shape} must have rank at least 1")
    axis = _int(axis, "axis") % rank
    samples = x.shape[axis]
    samples = shape(x)[axis] if samples is None else samples
    if isinstance(step, int) and not step:
        raise errors.InvalidArgumentError(None, None, "Integer division by zero")
    count = _count(samples, length, step, pad_end)
    dims = x.shape.as_list()
    if pad_end:
        value = convert_to_tensor(pad_value, x._dtype)
        value.shape.assert_has_rank(0)
        missing = m.maximum((count - 1) * step + length - samples, 0)
        pads = call("Mul", (call("Reshape", (missing, constant([1, 1]))), constant(_corner(rank, axis))))
        x = call("PadV2", (x, pads, value))
    frames = _gathered(x, axis, count, length, step, name)
    known = [size if isinstance(size, int) else None for size in (count, length)]
    frames.set_shape([*dims[:axis], *known, *dims[axis + 1 :]])
    return frames


def _gathered(x, axis, count, length, step, name):
    """The frames of a signal that is long enough, put together from the longest pieces that begin and end where frames
    do.

    So a piece is copied at once, and the gradient comes out of a reshape, dense as in TensorFlow.
    """
    piece = math.gcd(length, step) if isinstance(length, int) and isinstance(step, int) else 1
    sizes = [known if known is not None else shape(x)[i] for i, known in enumerate(x.shape.as_list())]
    pieces = sizes[axis] // piece
    if not isinstance(pieces, int) or pieces * piece != sizes[axis]:
        x = x[(slice(None),) * axis + (slice(0, pieces * piece),)]
    x = reshape(x, stack([*sizes[:axis], pieces, piece, *sizes[axis + 1 :]]))
    starts = call("ExpandDims", (m.multiply(_range(count), step // piece), constant(1)))
    found = call("GatherV2", (x, m.add(starts, _range(length // piece)), constant(axis)))
    return reshape(found, stack([*sizes[:axis], count, length, *sizes[axis + 1 :]]), name)


def _frames_of_unknown_rank(x, length, step, pad_end, pad_value, axis, name):
    """The frames of the last axis; the others are one while they are made."""
    if axis != -1:
        raise ValueError("Frames along another axis than the last need a signal of known rank.")
    sizes = shape(x)
    rows = frame(reshape(x, stack([-1, sizes[-1]])), length, step, pad_end, pad_value)
    return reshape(rows, concat([sizes[:-1], shape(rows)[1:]], 0), name)


def _corner(rank, axis):
    """1 at the end of one axis, in the shape of paddings."""
    out = np.zeros((rank, 2), np.int32)
    out[axis, 1] = 1
    return out


@export("signal.overlap_and_add")
@scoped("overlap_and_add")
def overlap_and_add(signal, frame_step, name=None):
    """Puts a signal together from frames that begin every `frame_step`; where they overlap they add up.

    Args:
      signal: The frames, [..., frames, samples].
      frame_step: The number of samples from one beginning to the next.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, [..., samples].

    Raises:
      ValueError: There are less than two axes, or `frame_step` is not an integer.

    >>> tf.signal.overlap_and_add([[1, 1], [1, 1]], 1).numpy().tolist()
    [1, 2, 1]
    """
    x = convert_to_tensor(signal)
    x.shape.with_rank_at_least(2)
    step_tensor = convert_to_tensor(frame_step)
    if not step_tensor.dtype.is_integer:
        raise ValueError(f"frame_step must be an integer. Got {step_tensor.dtype}")
    step = _size(step_tensor, "frame_step")
    rank = x.shape.rank
    if rank is None:
        sizes = shape(x)
        rows = overlap_and_add(reshape(x, stack([-1, sizes[-2], sizes[-1]])), step)
        return reshape(rows, concat([sizes[:-2], shape(rows)[1:]], 0), name)
    frames, length = (shape(x)[i - 2] if size is None else size for i, size in enumerate(x.shape.as_list()[-2:]))
    if isinstance(length, int) and step == length:  # nothing overlaps
        outer = [shape(x)[i] if size is None else size for i, size in enumerate(x.shape.as_list()[:-2])]
        return reshape(x, stack([*outer, frames * length]), "fast_path")
    places = m.add(call("ExpandDims", (m.multiply(_range(frames), step), constant(1))), _range(length))
    # rows of samples, summed by the place at which they end up
    order = [rank - 2, rank - 1, *range(rank - 2)]
    rows = call("Transpose", (x, constant(order)))
    total = (frames - 1) * step + length
    total = m.maximum(total, 0) if isinstance(total, Tensor) else max(0, total) if frames else 0
    summed = call("UnsortedSegmentSum", (rows, places, convert_to_tensor(total)))
    return call("Transpose", (summed, constant([*range(1, rank - 1), 0])), {}, name)


# --- short-time Fourier transform -------------------------------------------------------------------------------------


def _enclosing_power_of_two(length):
    return int(2 ** np.ceil(np.log(length) / np.log(2.0)))


def _lengths(frame_length, fft_length) -> tuple[int, int]:
    """The lengths of a frame and of its transform, which is the next power of two if it is not given."""
    length = _int(_positive(frame_length, "frame_length"), "frame_length")
    if fft_length is None:
        return length, _enclosing_power_of_two(length)
    return length, _int(_positive(fft_length, "fft_length"), "fft_length")


@export("signal.stft")
@scoped("stft")
def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    """Computes the short-time Fourier transform: those of the windowed frames of a signal.

    Args:
      signals: Samples in the last axis, float32 or float64.
      frame_length: The number of samples in a frame.
      frame_step: The number of samples from one beginning to the next.
      fft_length: The length of the transforms; by default the least power of two that is enough for a frame.
      window_fn: A function of the length and `dtype` that gives the window; None for none.
      pad_end: Whether frames that reach beyond the end are filled up with zeros, rather than left out.
      name: A name for the operation.

    Returns:
      complex64, or complex128 for float64, [..., frames, fft_length // 2 + 1].

    Raises:
      ValueError: A length is not a positive integer.

    >>> tf.signal.stft(tf.ones([8]), 4, 2).shape.as_list()
    [3, 3]
    """
    x = convert_to_tensor(signals)
    length, size = _lengths(frame_length, fft_length)
    frames = frame(x, length, frame_step, pad_end)
    if window_fn is not None:
        frames = m.multiply(frames, window_fn(length, dtype=frames.dtype))
    return rfft(frames, [size], name)


@export("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """Creates the function that makes the window with which `inverse_stft` undoes `stft` exactly.

    Args:
      frame_step: The number of samples from one beginning to the next.
      forward_window_fn: The window function of `stft`.
      name: Has no effect.

    Returns:
      A function of the frame's length and `dtype`, for the argument `window_fn`.

    >>> tf.signal.inverse_stft_window_fn(2)(4, tf.float32).shape.as_list()
    [4]
    """
    step = _int(frame_step, "frame_step")

    def window(frame_length, dtype):
        length = _int(frame_length, "frame_length")
        forward = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = call("Pad", (m.square(forward), constant([[0, overlaps * step - length]])))

        total = reduce_sum(call("Reshape", (squares, constant([overlaps, step]))), 0, keepdims=True)
        whole = call("Reshape", (call("Tile", (total, constant([overlaps, 1]))), constant([overlaps * step])))
        # where all windows are 0 the inverse is 0 too
        return m.divide_no_nan(forward, call("Slice", (whole, constant([0]), constant([length]))))

    return window


@export("signal.inverse_stft")
@scoped("inverse_stft")
def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    """Computes a signal from its short-time Fourier transform, up to the factor of the window.

    Args:
      stfts: The result of `stft`, complex [..., frames, fft_length // 2 + 1].
      frame_length: The number of samples in a frame.
      frame_step: The number of samples from one beginning to the next.
      fft_length: The length of the transforms; by default the least power of two that is enough for a frame.
      window_fn: A function of the length and `dtype` that gives the window, see `inverse_stft_window_fn`; None for
        none.
      name: A name for the operation.

    Returns:
      float32, or float64 for complex128, [..., samples].

    Raises:
      ValueError: A length is not a positive integer.

    >>> tf.signal.inverse_stft(tf.zeros([3, 3], tf.complex64), 4, 2).shape.as_list()
    [8]
    """
    x = convert_to_tensor(stfts)
    length, size = _lengths(frame_length, fft_length)
    frames = irfft(x, [size])
    rank = frames.shape.rank
    if size >= length:
        sizes = constant([-1] * (rank - 1) + [length])
        frames = call("Slice", (frames, constant([0] * rank), sizes))
    else:
        frames = call("Pad", (frames, constant([[0, 0]] * (rank - 1) + [[0, length - size]])))
    if window_fn is not None:
        frames = m.multiply(frames, window_fn(length, dtype=frames.dtype))
    return overlap_and_add(frames, frame_step, name)


# --- shifts and spectrograms ------------------------------------------------------------------------------------------


def _shift(x, axes, sign, name):
    x = convert_to_tensor(x)
    rank = call("Rank", (x,))
    axes = _range(rank) if axes is None else convert_to_tensor(axes, dtypes.int32)
    sizes = gather(shape(x), m.where(m.less(axes, 0), m.add(axes, rank), axes))
    return call("Roll", (x, m.multiply(m.floordiv(sizes, 2), sign), axes), {}, name)


_SHIFT = """\
Args:
  x: A tensor with at least one axis.
  axes: The axes to shift; by default all.
  name: A name for the operation.

Returns:
  A tensor of the same shape and dtype.
"""


@export("signal.fftshift")
@with_sections(_SHIFT)
@scoped("fftshift", result=True)
def fftshift(x, axes=None, name=None):
    """Moves the zero frequency to the middle.

    >>> tf.signal.fftshift([0.0, 1.0, 2.0, -2.0, -1.0]).numpy().tolist()
    [-2.0, -1.0, 0.0, 1.0, 2.0]
    """
    return _shift(x, axes, 1, name)


@export("signal.ifftshift")
@with_sections(_SHIFT)
@scoped("ifftshift", result=True)
def ifftshift(x, axes=None, name=None):
    """Undoes `tf.signal.fftshift`.

    >>> tf.signal.ifftshift([-2.0, -1.0, 0.0, 1.0, 2.0]).numpy().tolist()
    [0.0, 1.0, 2.0, -2.0, -1.0]
    """
    return _shift(x, axes, -1, name)


@export("signal.linear_to_mel_weight_matrix")
@scoped("linear_to_mel_weight_matrix", result=True)
def linear_to_mel_weight_matrix(
    num_mel_bins=20, num_spectrogram_bins=129, sample_rate: Any = 8000, lower_edge_hertz=125.0, upper_edge_hertz=3800.0,
    dtype: Any = dtypes.float32, name=None,
):
    """Creates the matrix that turns spectra into mel spectra: triangles of equal width on the mel scale.

    Args:
      num_mel_bins: How many bins the mel spectra have.
      num_spectrogram_bins: How many bins the spectra have, from 0 to half the sample rate.
      sample_rate: Samples per second.
      lower_edge_hertz: The lowest frequency of the mel spectra.
      upper_edge_hertz: The highest frequency of the mel spectra.
      dtype: The dtype of the result, of floats.
      name: A name for the operation.

    Returns:
      A matrix of `dtype`, [num_spectrogram_bins, num_mel_bins].

    Raises:
      ValueError: A number is out of range, the edges are not in order or above half the sample rate, or `dtype` is
        wrong.

    >>> tf.signal.linear_to_mel_weight_matrix(4, 9).shape.as_list()
    [9, 4]
    """
    dtype = dtypes.as_dtype(dtype)
    sample_rate = convert_to_tensor(sample_rate, dtype_hint=dtypes.float32)
    rate, bins = (get_static_value(x) for x in (sample_rate, convert_to_tensor(num_spectrogram_bins)))
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower_edge_hertz < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(f"lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz {upper_edge_hertz:.1f}")
    if rate is not None and rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if rate is not None and upper_edge_hertz > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got "
            f"{upper_edge_hertz} for sample_rate: {rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")
    edges = np.linspace(
        _mel(lower_edge_hertz, dtype), _mel(upper_edge_hertz, dtype), num_mel_bins + 2, dtype=dtype.np_dtype
    )
    low, middle, high = edges[:-2][None], edges[1:-1][None], edges[2:][None]
    if rate is None or bins is None:
        highest = m.cast(sample_rate, dtype) / 2
        hertz = linspace(m.cast(0, dtype), highest, m.cast(convert_to_tensor(num_spectrogram_bins), dtypes.int32))
        spectrum = m.multiply(call("Log1p", (hertz[1:] / 700.0,)), 1127.0)[:, None]
        weights = m.maximum(0.0, m.minimum((spectrum - low) / (middle - low), (high - spectrum) / (high - middle)))
        return call("Pad", (weights, constant([[1, 0], [0, 0]])), {}, name)
    spectrum = _mel(np.linspace(0.0, float(rate) / 2, int(bins), dtype=dtype.np_dtype)[1:], dtype)[:, None]
    weights = np.maximum(0, np.minimum((spectrum - low) / (middle - low), (high - spectrum) / (high - middle)))
    return from_array(np.pad(weights, [[1, 0], [0, 0]]).astype(dtype.np_dtype))


def _mel(hertz, dtype):
    """Frequencies on the mel scale."""
    number = dtype.np_dtype.type
    return number(1127.0) * np.log1p(np.asarray(hertz, dtype.np_dtype) / number(700.0))
