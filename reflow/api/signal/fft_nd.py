"""`tf.signal`: Fourier transforms over arbitrary axes, one axis at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

from reflow.api.array import arrange
from reflow.api.export import Made, export, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.scoped import scoped
from reflow.api.signal.cosine import resized
from reflow.api.signal.fft import fft, ifft, irfft, rfft
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor


def _axes(x, axes, fft_length) -> list[tuple[int, int]]:
    """(axis, length) of the transforms; a length of None in `fft_length` or no lengths at all: that of the axis."""
    rank = x.shape.rank
    if rank is None:
        raise ValueError("The rank of the input of a transform over axes must be known.")
    given = None if fft_length is None else [int(n) for n in arrange.get_static_value(convert_to_tensor(fft_length))]
    if axes is None:
        axes = range(rank) if given is None else range(rank - len(given), rank)
    found = [int(axis) % rank for axis in arrange.get_static_value(convert_to_tensor(list(axes), dtypes.int32))]
    if len(set(found)) < len(found):
        raise ValueError(f"Argument `axes` must not name an axis twice. Received: {axes}")
    lengths = [x.shape[axis] for axis in found] if given is None else given
    if len(lengths) != len(found) or None in lengths:
        raise ValueError(f"A transform needs one length for each axis. Received: fft_length={fft_length}, axes={axes}")
    return list(zip(found, lengths, strict=True))


def _along(function, x, axis: int, *length):
    """A transform of the last axis, along another one."""
    order = [*(i for i in range(x.shape.rank) if i != axis), axis]
    back = sorted(range(len(order)), key=order.__getitem__)
    return arrange.transpose(function(arrange.transpose(x, order), *length), back)


def _scaled(x, pairs, norm, inverse: bool):
    """The input with the factor of a norm: the transforms themselves divide by the lengths on the way back only."""
    if norm in (None, "backward"):
        return x
    if norm not in ("ortho", "forward"):
        raise ValueError(f"Argument `norm` must be None, 'backward', 'forward' or 'ortho'. Received: {norm}")
    count = math.prod(length for _, length in pairs)
    count = math.sqrt(count) if norm == "ortho" else count
    factor = constant(float(count if inverse else 1 / count), x.dtype.real_dtype)
    return x * m.cast(factor, x.dtype)


def _of_complex(x, fft_length, axes, norm, function):
    """The transform of complex numbers over axes, by `fft` or `ifft` of the last one."""
    x = convert_to_tensor(x, dtype_hint=dtypes.complex64)
    pairs = _axes(x, axes, fft_length)
    return _complex(_scaled(x, pairs, norm, function is ifft), pairs, function)


def _complex(x, pairs, function):
    for axis, length in pairs:
        x = _along(lambda part, n=length: function(resized(part, n)), x, axis)
    return x


_OWN_LENGTHS = "A length for each of the axes, to which it is cropped or filled up with zeros; by default its own"
_OTHER_DTYPE = "The dtype is another, an axis"


def _described(
    dtypes: str, result: str, lengths: str = _OWN_LENGTHS, error: str = _OTHER_DTYPE
) -> Callable[[Made], Made]:
    """A decorator that adds the sections of a transform over axes to its docstring."""
    return with_sections(f"""\
Args:
  input_tensor: A tensor of {dtypes} of known rank.
  fft_length: {lengths}.
  axes: The axes; by default all, or the last ones if lengths are given.
  norm: Where the result is divided by the number of elements: `"backward"` (or None), `"forward"`, or `"ortho"` for
    its root both ways.
  name: A name for the operation.

Returns:
  A tensor of {result}.

Raises:
  ValueError: {error} is named twice, lengths and axes do not fit, or there is no such `norm`.
""")


@export("signal.fftnd")
@scoped("fftnd")
@_described("complex64 or complex128", "the same dtype and rank", error="An axis")
def fftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Computes the Fourier transform of complex numbers over axes.

    >>> tf.signal.fftnd(tf.ones([2, 2], tf.complex64)).numpy().real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return _of_complex(input_tensor, fft_length, axes, norm, fft)


@export("signal.ifftnd")
@scoped("ifftnd")
@_described("complex64 or complex128", "the same dtype and rank", error="An axis")
def ifftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Computes the inverse of `tf.signal.fftnd`.

    >>> tf.signal.ifftnd(tf.signal.fftnd(tf.ones([2, 2], tf.complex64))).numpy().real.tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return _of_complex(input_tensor, fft_length, axes, norm, ifft)


@export("signal.rfftnd")
@scoped("rfftnd")
@_described("float32 or float64", "complex64, or complex128 for float64, of the same rank")
def rfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Computes the Fourier transform of real numbers over axes; of the last of them half the spectrum is kept.

    >>> tf.signal.rfftnd(tf.ones([2, 2])).numpy().real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    x = convert_to_tensor(input_tensor, dtype_hint=dtypes.float32)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x!s}")
    pairs = _axes(x, axes, fft_length)
    *others, (axis, length) = pairs
    x = _along(rfft, _scaled(x, pairs, norm, False), axis, [length])
    return _complex(x, others, fft)


@export("signal.irfftnd")
@scoped("irfftnd")
@_described(
    "complex64 or complex128", "float32, or float64 for complex128, of the same rank",
    "The lengths of the result along the axes; by default those of the input, and along the last the even\n"
    "    one that fits",
)
def irfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Computes the inverse of `tf.signal.rfftnd`.

    >>> tf.signal.irfftnd(tf.signal.rfftnd(tf.ones([2, 2]))).numpy().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    x = convert_to_tensor(input_tensor, dtype_hint=dtypes.complex64)
    if x.dtype not in (dtypes.complex64, dtypes.complex128):
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x!s}")
    pairs = _axes(x, axes, fft_length)
    *others, (axis, length) = pairs
    if fft_length is None:
        length = max(2 * (length - 1), 1)
    x = _complex(_scaled(x, [*others, (axis, length)], norm, True), others, ifft)
    return _along(irfft, x, axis, [length])
