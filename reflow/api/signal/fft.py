"""`tf.signal`: Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array.arrange import get_static_value
from reflow.api.call import call, op_inputs
from reflow.api.export import export, export_function, with_sections
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor

_COMPLEX = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
_REAL = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}


_FFT = """\
Args:
  input: A tensor of complex64 or complex128.
  name: A name for the operation.

Returns:
  A tensor of the same shape and dtype.
"""


_LAST = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}


def _complex_transform(op_name: str, rank: int, inverse: str = ""):
    """The public transform of complex numbers over the last axes."""
    name = op_name.lower()

    def function(input, name=None):
        return call(op_name, op_inputs(op_name, input), {}, name)

    doc = f"Computes the {inverse}Fourier transform of complex numbers over {_LAST[rank]}.\n\n{_FFT}"
    example = f">>> tf.signal.{name}(tf.ones({[1] * rank}, tf.complex64)).numpy().item()\n(1+0j)"
    return export_function(function, f"signal.{name}", doc=doc, example=example)


fft = _complex_transform("FFT", 1)
ifft = _complex_transform("IFFT", 1, "inverse ")
fft2d = _complex_transform("FFT2D", 2)
ifft2d = _complex_transform("IFFT2D", 2, "inverse ")
fft3d = _complex_transform("FFT3D", 3)
ifft3d = _complex_transform("IFFT3D", 3, "inverse ")


def _lengths(x, fft_length, rank, inverse):
    """The operand fft_length: given, or what the input's last axes say."""
    if fft_length is not None:
        return convert_to_tensor(fft_length, dtypes.int32)
    dims: list = x.shape.as_list()[-rank:] if x.shape.rank is not None else [None]
    if None not in dims:
        if inverse:
            dims[-1] = max(0, 2 * (dims[-1] - 1))
        return constant(np.array(dims, np.int32))
    sizes = call(
        "StridedSlice", (call("Shape", (x,)), constant([-rank]), constant([0]), constant([1])), {"end_mask": 1}
    )
    if not inverse:
        return sizes
    ones = np.ones(rank, np.int32)
    last = ones.copy()
    last[:-1] = 0
    doubled = call("Mul", (call("Sub", (sizes, constant(last))), constant(ones + last)))
    return call("Maximum", (doubled, constant(0)))


def _forward_transform(op_name: str, input_tensor, fft_length, rank: int, name):
    """The transform of real numbers."""
    x = convert_to_tensor(input_tensor, dtype_hint=dtypes.float32)
    if x._dtype not in _COMPLEX:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x!s}")
    return _real_transform(
        op_name, x, _lengths(x, fft_length, rank, False), {"Tcomplex": _COMPLEX[x._dtype]}, rank, name
    )


def _inverse_transform(op_name: str, input_tensor, fft_length, rank: int, name):
    """The transform back to real numbers."""
    x = convert_to_tensor(input_tensor, dtype_hint=dtypes.complex64)
    if x._dtype not in _REAL:
        raise ValueError(f"{op_name} requires tf.complex64 or tf.complex128 inputs, got: {x!s}")
    return _real_transform(op_name, x, _lengths(x, fft_length, rank, True), {"Treal": _REAL[x._dtype]}, rank, name)


def _real_transform(op_name: str, x, lengths, attrs: dict, rank: int, name):
    if x.shape.rank is not None and x.shape.rank < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")
    return call(op_name, (_padded(x, lengths, rank, "Treal" in attrs), lengths), attrs, name)


def _padded(x, lengths, rank: int, inverse: bool):
    """Pad a tensor whose last axes are shorter than its transform reads, because the ops reject those."""
    halves, more = np.ones(rank, np.int32), np.zeros(rank, np.int32)
    if inverse:
        halves[-1], more[-1] = 2, 1  # of a spectrum that is its own mirror image, half is stored
    known, dims = get_static_value(lengths), x.shape._dims
    if known is not None and dims is not None and None not in dims[-rank:]:
        sizes = np.array(dims[-rank:])
        if (
            known.shape != sizes.shape or 0 in dims
            or (missing := np.maximum(known // halves + more - sizes, 0)).max() == 0
        ):
            return x
        return call("Pad", (x, constant([[0, 0]] * (len(dims) - rank) + [[0, int(n)] for n in missing])))
    sizes = call(
        "StridedSlice", (call("Shape", (x,)), constant([-rank]), constant([0]), constant([1])), {"end_mask": 1}
    )
    needed = call("AddV2", (call("FloorDiv", (lengths, constant(halves))), constant(more)))
    missing = call("Maximum", (call("Sub", (needed, sizes)), constant(0)))
    own = call("Pack", (call("ZerosLike", (missing,)), missing), {"axis": 1, "N": 2})
    others = call("Pack", (call("Sub", (call("Rank", (x,)), constant(rank))), constant(0)), {"axis": 0, "N": 2})
    above = call("Pack", (others, constant([0, 0])), {"axis": 0, "N": 2})
    return call("Pad", (x, call("Pad", (own, above))))


@export("signal.rfft")
@scoped("rfft", result=True)
def rfft(input_tensor, fft_length=None, name=None):
    """Computes the Fourier transform of real numbers over the last axis; half the spectrum is kept.

    Args:
      input_tensor: A tensor of float32 or float64.
      fft_length: A list of one number, the length to which the axis is cropped or padded with zeros; by default its
        own.
      name: A name for the operation.

    Returns:
      A tensor of complex64, or complex128 for float64, whose last axis has `fft_length // 2 + 1` elements.

    Raises:
      ValueError: The dtype is not float32 or float64, or there are too few axes.

    >>> tf.signal.rfft(tf.ones([1], tf.float32), [1]).numpy().real.item()
    1.0
    """
    return _forward_transform("RFFT", input_tensor, fft_length, 1, name)


@export("signal.irfft")
@scoped("irfft", result=True)
def irfft(input_tensor, fft_length=None, name=None):
    """Computes the inverse of `rfft` over the last axis: real numbers from half their spectrum.

    Args:
      input_tensor: A tensor of complex64 or complex128, the half of a spectrum that `rfft` keeps.
      fft_length: A list of one number, the length of the result's last axis; by default the even one that fits.
      name: A name for the operation.

    Returns:
      A tensor of float32, or float64 for complex128, whose last axis has `fft_length` elements.

    Raises:
      ValueError: The dtype is not complex64 or complex128, or there are too few axes.

    >>> tf.signal.irfft(tf.ones([1], tf.complex64), [1]).numpy().real.item()
    1.0
    """
    return _inverse_transform("IRFFT", input_tensor, fft_length, 1, name)


_RFFT = """\
Args:
  input_tensor: A tensor of float32 or float64.
  fft_length: The lengths to which the axes are cropped or padded with zeros; by default their own.
  name: A name for the operation.

Returns:
  A tensor of complex64, or complex128 for float64; its last axes have the sizes `fft_length`, the very last
  `fft_length[-1] // 2 + 1`.

Raises:
  ValueError: The dtype is not float32 or float64, or there are too few axes.
"""


_IRFFT = """\
Args:
  input_tensor: A tensor of complex64 or complex128, the half of a spectrum that `rfft` keeps.
  fft_length: The lengths of the result's axes; by default those of the input, and for the last the even one that
    fits.
  name: A name for the operation.

Returns:
  A tensor of float32, or float64 for complex128, whose last axes have the sizes `fft_length`.

Raises:
  ValueError: The dtype is not complex64 or complex128, or there are too few axes.
"""


def _exported_real(op_name: str, rank: int, transform, doc: str, dtype: str):
    """Exports a transform of real numbers over several axes, or back to them; `dtype` is that of its input."""
    public = op_name.lower()

    @scoped(public, result=True)
    def function(input_tensor, fft_length=None, name=None):
        return transform(op_name, input_tensor, fft_length, rank, name)

    example = f">>> tf.signal.{public}(tf.ones({[1] * rank}, tf.{dtype}), {[1] * rank}).numpy().real.item()\n1.0"
    return export_function(function, f"signal.{public}", doc=doc, example=example)


def _to_half_spectrum(op_name: str, rank: int):
    doc = f"Computes the Fourier transform of real numbers over {_LAST[rank]}; half the spectrum is kept.\n\n{_RFFT}"
    return _exported_real(op_name, rank, _forward_transform, doc, "float32")


def _from_half_spectrum(op_name: str, rank: int):
    undone = op_name[1:].lower()
    doc = f"Computes the inverse of `{undone}` over {_LAST[rank]}: real numbers from half their spectrum.\n\n{_IRFFT}"
    return _exported_real(op_name, rank, _inverse_transform, doc, "complex64")


rfft2d = _to_half_spectrum("RFFT2D", 2)
rfft3d = _to_half_spectrum("RFFT3D", 3)
irfft2d = _from_half_spectrum("IRFFT2D", 2)
irfft3d = _from_half_spectrum("IRFFT3D", 3)


# --- over given axes --------------------------------------------------------------------------------------------------


def _over_axes(op, input, fft_length, axes, attrs, name):
    operands = convert_to_tensor(fft_length, dtypes.int32), convert_to_tensor(axes, dtypes.int32)
    return call(op, (convert_to_tensor(input), *operands), attrs, name)


_FFTND = """\
Args:
  input: A tensor of complex64 or complex128.
  fft_length: A size for each of the axes, to which the input is cut or filled with zeros.
  axes: The axes, a vector of integers.
  name: A name for the operation.

Returns:
  A tensor of the same dtype, with the sizes `fft_length` along `axes`.
"""


@export("fftnd")
@with_sections(_FFTND)
def fftnd(input, fft_length, axes, name=None):
    """Computes the Fourier transform of a complex tensor over some of its axes.

    >>> tf.fftnd(tf.ones([2, 3], tf.complex64), [2], [0]).numpy().real.tolist()
    [[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]
    """
    return _over_axes("FFTND", input, fft_length, axes, {}, name)


@export("ifftnd")
@with_sections(_FFTND)
def ifftnd(input, fft_length, axes, name=None):
    """Computes the inverse Fourier transform of a complex tensor over some of its axes.

    >>> tf.ifftnd(tf.ones([2, 2], tf.complex64), [2], [0]).numpy().real.tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """
    return _over_axes("IFFTND", input, fft_length, axes, {}, name)


@export("rfftnd")
def rfftnd(input, fft_length, axes, Tcomplex: Any = dtypes.complex64, name=None):
    """Computes the Fourier transform of a real tensor over some of its axes; of the last, half the spectrum is kept.

    Args:
      input: A tensor of float32 or float64.
      fft_length: A size for each of the axes, to which the input is cut or filled with zeros.
      axes: The axes, a vector of integers.
      Tcomplex: The dtype of the result.
      name: A name for the operation.

    Returns:
      A tensor of `Tcomplex`, with the sizes `fft_length` along `axes`; along the last of them `fft_length[-1] // 2 +
      1`.

    >>> tf.rfftnd(tf.ones([4, 2]), [4], [0]).numpy().real.tolist()
    [[4.0, 4.0], [0.0, 0.0], [0.0, 0.0]]
    """
    return _over_axes("RFFTND", input, fft_length, axes, {"Tcomplex": dtypes.as_dtype(Tcomplex)}, name)


@export("irfftnd")
def irfftnd(input, fft_length, axes, Treal: Any = dtypes.float32, name=None):
    """Computes the inverse of `tf.rfftnd`.

    Args:
      input: A tensor of complex64 or complex128, the half of a spectrum that `tf.rfftnd` keeps.
      fft_length: The sizes of the result along the axes.
      axes: The axes, a vector of integers.
      Treal: The dtype of the result.
      name: A name for the operation.

    Returns:
      A tensor of `Treal`, with the sizes `fft_length` along `axes`.

    >>> tf.irfftnd(tf.ones([2, 1], tf.complex64), [2], [0]).numpy().tolist()
    [[1.0], [0.0]]
    """
    return _over_axes("IRFFTND", input, fft_length, axes, {"Treal": dtypes.as_dtype(Treal)}, name)
