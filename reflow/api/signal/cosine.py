"""`tf.signal`: cosine transforms and their audio applications.

The modified transform of frames, cepstral coefficients.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.scoped import scoped
from reflow.api.signal.fft import irfft, rfft
from reflow.api.signal.frames import frame, overlap_and_add, vorbis_window
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor


def _checked(x, kind, n, axis, norm):
    """ValueError for arguments of a transform that do not go together."""
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if kind not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    x = convert_to_tensor(x)
    if kind == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if n == 1 or (x.shape.rank and x.shape[-1] is not None and x.shape[-1] < 2):
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    return x


def _length(x):
    """The size of the last axis: an int if it is known."""
    known = x.shape[-1]
    return arrange.shape(x)[-1] if known is None else known


def resized(x, n):
    """The last axis cropped, or filled up with zeros, to `n` elements."""
    length = _length(x)
    if isinstance(length, int) and isinstance(n, int) and n <= length:
        return x[..., :n]
    missing = m.maximum(n - length, 0)
    widths = arrange.concat([creation.zeros([x.shape.rank - 1, 2], dtypes.int32), [arrange.stack([0, missing])]], 0)
    filled = arrange.pad(x, widths)[..., :n]
    if isinstance(n, int):
        filled.set_shape([*x.shape[:-1], n])
    return filled


def _turn(size, sign: int, dtype):
    """The factors `2 exp(sign i pi k / 2 size)` between a cosine transform and twice as long a Fourier transform."""
    count = m.cast(size, dtype)
    angles = m.cast(creation.range(size), dtype) * constant(sign * math.pi * 0.5, dtype) / count
    return unary.complex(2.0 * unary.cos(angles), 2.0 * unary.sin(angles))


def _orthogonal(size, first, others, dtype):
    """Weights of the orthonormal transform: another one for the first element."""
    is_first = m.equal(creation.range(size), 0)
    return m.where(is_first, m.cast(first, dtype), m.cast(others, dtype))


def _transform(x, kind, norm):
    """The cosine transform of a kind over the last axis."""
    size, dtype = _length(x), x.dtype
    count = m.cast(size, dtype)
    if kind == 1:
        return unary.real(rfft(arrange.concat([x, x[..., -2:0:-1]], -1)))
    if kind == 2:
        spectrum = rfft(x, [2 * size])[..., :size]
        found = unary.real(spectrum * _turn(size, -1, dtype))
        if norm == "ortho":
            scale = 0.5 * unary.rsqrt(count)
            found *= _orthogonal(size, scale, scale * constant(math.sqrt(2.0), dtype), dtype)
        return found
    if kind == 3:
        if norm == "ortho":
            scale = unary.sqrt(count)
            x *= _orthogonal(size, scale, scale * constant(math.sqrt(0.5), dtype), dtype)
        else:
            x *= count
        spectrum = _turn(size, 1, dtype) * unary.complex(x, creation.zeros_like(x))
        return unary.real(irfft(spectrum, [2 * size]))[..., :size]
    found = _transform(resized(x, 2 * size), 2, None)[..., 1::2]
    return found * (constant(math.sqrt(0.5), dtype) * unary.rsqrt(count)) if norm == "ortho" else found


_DCT = """\
Args:
  input: A tensor of float32 or float64.
  type: The kind of transform, 1 to 4.
  n: The length to which the axis is cropped or filled up with zeros first; by default its own.
  axis: Must be -1.
  norm: None, or `"ortho"` for an orthonormal transform; not for kind 1.
  name: A name for the operation.

Returns:
  A tensor of the same dtype, whose last axis has `n` elements.

Raises:
  ValueError: There is no such transform, or `n` is not positive.
  NotImplementedError: `axis` is not -1.
"""


@export("signal.dct")
@scoped("dct")
@with_sections(_DCT)
def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """Computes the discrete cosine transform over the last axis.

    >>> tf.signal.dct([1.0, 1.0]).numpy().round(4).tolist()
    [4.0, 0.0]
    """
    x = _checked(input, type, n, axis, norm)
    return _transform(x if n is None else resized(x, n), type, norm)


@export("signal.idct")
@scoped("idct")
@with_sections(_DCT)
def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """Computes the inverse of `tf.signal.dct` of the same kind; without `norm` up to a constant factor.

    >>> tf.signal.idct(tf.signal.dct([1.0, 2.0], norm="ortho"), norm="ortho").numpy().round(4).tolist()
    [1.0, 2.0]
    """
    x = _checked(input, type, n, axis, norm)
    return _transform(x if n is None else resized(x, n), {1: 1, 2: 3, 3: 2, 4: 4}[type], norm)


@export("signal.mfccs_from_log_mel_spectrograms")
@scoped("mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """Computes the cepstral coefficients of log spectra on the mel scale, by their scaled cosine transform.

    Args:
      log_mel_spectrograms: Logarithms of spectra, floats [..., bins].
      name: A name for the operation.

    Returns:
      A tensor of the same shape and dtype, with the coefficients in the last axis.

    Raises:
      ValueError: There are no bins.

    >>> tf.signal.mfccs_from_log_mel_spectrograms([1.0, 1.0]).numpy().round(4).tolist()
    [2.0, 0.0]
    """
    x = convert_to_tensor(log_mel_spectrograms)
    if x.shape.rank and x.shape[-1] == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {x}")
    return dct(x) * unary.rsqrt(m.cast(_length(x), x.dtype) * 2.0)


_HALF = 1.0 / np.sqrt(2)


@export("signal.mdct")
@scoped("mdct")
def mdct(signals, frame_length, window_fn=vorbis_window, pad_end=False, norm=None, name=None):
    """Computes the modified cosine transform of frames that share half their samples with the next.

    Args:
      signals: Samples in the last axis, float32 or float64.
      frame_length: The number of samples in a frame, a multiple of 4.
      window_fn: A function of the length and `dtype` that gives the window, or None for a constant factor.
      pad_end: Whether the end is filled up with zeros to whole frames.
      norm: None, or `"ortho"` for an orthonormal transform.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, [..., frames, frame_length // 2].

    Raises:
      ValueError: `frame_length` is not a multiple of 4.

    >>> tf.signal.mdct(tf.ones([8]), 4).shape
    TensorShape([3, 2])
    """
    length = arrange.get_static_value(frame_length)
    if length is not None and length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    length = frame_length if length is None else int(length)
    frames = frame(convert_to_tensor(signals), length, length // 2, pad_end=pad_end)
    frames *= constant(_HALF, frames.dtype) if window_fn is None else window_fn(length, dtype=frames.dtype)
    a, b, c, d = arrange.split(frames, 4, axis=-1)
    folded = arrange.concat([-arrange.reverse(c, [-1]) - d, a - arrange.reverse(b, [-1])], -1)
    return dct(folded, type=4, norm=norm)


@export("signal.inverse_mdct")
@scoped("inverse_mdct")
def inverse_mdct(mdcts, window_fn=vorbis_window, norm=None, name=None):
    """Computes the signal of a modified cosine transform; the first and the last half frame are not recovered.

    Args:
      mdcts: The result of `tf.signal.mdct`, [..., frames, frame_length // 2].
      window_fn: The function that gave the window there, or None.
      norm: The norm there, None or `"ortho"`.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, [..., samples].

    Raises:
      ValueError: There are less than two axes, or there is no such `norm`.

    >>> signal = tf.signal.inverse_mdct(tf.signal.mdct(tf.ones([12]), 4, norm="ortho"), norm="ortho")
    >>> signal.numpy().round(4).tolist()[2:10]
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    x = convert_to_tensor(mdcts)
    x.shape.with_rank_at_least(2)
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    half = _length(x)
    found = dct(x, type=4, norm=norm)
    if norm is None:
        found *= 0.5 / m.cast(half, x.dtype)
    first, second = arrange.split(found, 2, axis=-1)
    parts = [second, -arrange.reverse(second, [-1]), -arrange.reverse(first, [-1]), -first]
    frames = arrange.concat(parts, -1)
    frames *= constant(_HALF, x.dtype) if window_fn is None else window_fn(2 * half, dtype=x.dtype)
    return overlap_and_add(frames, half)
