"""`tf.signal`: Fourier transforms."""

from __future__ import annotations

import numpy as np

from reflow.api.call import call
from reflow.api.export import export, export_value
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor

_COMPLEX = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
_REAL = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}


def _complex_transform(op_name, public, rank, what):
    def function(input, name=None):
        return call(op_name, (convert_to_tensor(input),), {}, name)

    axes = {1: "axis", 2: "two axes", 3: "three axes"}[rank]
    function.__doc__ = f"""The {what} of complex numbers over the last {axes}.

    >>> tf.signal.{public}(tf.ones([1] * {rank}, tf.complex64)).numpy().item()
    (1+0j)
    """
    function.__name__ = function.__qualname__ = public
    return export_value(function, f"signal.{public}")


fft = _complex_transform("FFT", "fft", 1, "Fourier transform")
ifft = _complex_transform("IFFT", "ifft", 1, "inverse Fourier transform")
fft2d = _complex_transform("FFT2D", "fft2d", 2, "Fourier transform")
ifft2d = _complex_transform("IFFT2D", "ifft2d", 2, "inverse Fourier transform")
fft3d = _complex_transform("FFT3D", "fft3d", 3, "Fourier transform")
ifft3d = _complex_transform("IFFT3D", "ifft3d", 3, "inverse Fourier transform")


def _lengths(x, fft_length, rank, inverse):
    """The operand fft_length: given, or what the input's last axes say."""
    if fft_length is not None:
        return convert_to_tensor(fft_length, dtypes.int32)
    dims = x.shape.as_list()[-rank:] if x.shape.rank is not None else [None]
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


def _real_transform(op_name, public, rank, inverse):
    @export(f"signal.{public}")
    def function(input_tensor, fft_length=None, name=None):
        if inverse:
            x = convert_to_tensor(input_tensor, dtype_hint=dtypes.complex64)
            attrs = {"Treal": _REAL[x._dtype]}
        else:
            x = convert_to_tensor(input_tensor, dtype_hint=dtypes.float32)
            if x._dtype not in _COMPLEX:
                raise ValueError(f"The input of tf.signal.{public} must be float32 or float64. Received: {x._dtype!r}")
            attrs = {"Tcomplex": _COMPLEX[x._dtype]}
        if x.shape.rank is not None and x.shape.rank < rank:
            raise ValueError(f"Shape {x.shape} must have rank at least {rank}")
        return call(op_name, (x, _lengths(x, fft_length, rank, inverse)), attrs, name)

    kind = "complex64" if inverse else "float32"
    function.__doc__ = f"""The {"inverse " if inverse else ""}Fourier transform of real numbers; half the spectrum is kept.

    >>> tf.signal.{public}(tf.ones([1] * {rank}, tf.{kind}), [1] * {rank}).numpy().real.item()
    1.0
    """
    function.__name__ = function.__qualname__ = public
    return function


rfft = _real_transform("RFFT", "rfft", 1, False)
irfft = _real_transform("IRFFT", "irfft", 1, True)
rfft2d = _real_transform("RFFT2D", "rfft2d", 2, False)
irfft2d = _real_transform("IRFFT2D", "irfft2d", 2, True)
rfft3d = _real_transform("RFFT3D", "rfft3d", 3, False)
irfft3d = _real_transform("IRFFT3D", "irfft3d", 3, True)
