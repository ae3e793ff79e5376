"""Fourier transforms over the last one, two or three axes, or over given axes.

The adjoint of a transform is the conjugate of the transform of the conjugate. Real transforms crop or pad to
`fft_length`, which is static; their adjoints are `xp.rfft_adjoint` and `xp.irfft_adjoint`.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.naming import Naming
from reflow.ops.registry import also_called, get, op


def _complex_grad(kind, rank):
    def grad(xp, attrs, inputs, outputs, cts, wanted):
        return (xp.conj(xp.fft_last(xp.conj(cts[0]), kind, rank)),)

    return grad


def _check_rank(x, rank):
    if x.ndim < rank:
        raise ValueError(f"Input must have rank of at least {rank} but got: {rules.text(x.shape)}")
    return x


def _register_complex(name, kind, rank):
    @op(name, fits=f"{rank}+", shape=rules.same, grad=_complex_grad(kind, rank), needs=())
    def kernel(xp, input):
        return xp.fft_last(_check_rank(input, rank), kind, rank)


def _lengths(fft_length) -> tuple:
    return tuple(np.reshape(fft_length, -1).tolist())


def _check_lengths(lengths) -> tuple:
    for i, length in enumerate(lengths):
        if length < 0:
            raise ValueError(f"fft_length[{i}] must >= 0, but got: {length}")
    return lengths


def _check_types(given, wanted, forward) -> None:
    """A transform keeps the precision: a requested type must have it too."""
    if wanted is not None and np.finfo(given).bits != np.finfo(wanted.np_dtype).bits:
        what = f"{'forward' if forward else 'backward'} real FFT"
        raise ValueError(f"Wrong types for {what}: in={np.dtype(given).name} out={wanted.name}")


def _check_sizes(x, lengths, forward) -> None:
    """Reject inputs shorter than the transform reads, which public functions pad. Empty ones are allowed."""
    first = x.ndim - len(lengths)
    for axis, length in enumerate(lengths, first):
        least = length // 2 + 1 if axis == x.ndim - 1 and not forward else length
        if 0 < x.shape[axis] < least:
            raise ValueError(f"Input dimension {axis} must have length of at least {least} but got: {x.shape[axis]}")


def _real_shape(rank, forward):
    def rule(f):
        dims, lengths = f.shapes[0], f.values[1]
        if dims is None:
            return [None]
        if not isinstance(lengths, tuple):
            return [(*dims[:-rank], *(None,) * rank)]
        last = lengths[-1]
        if forward:
            last = None if last is None else (last // 2 + 1 if last else 0)
        return [(*dims[:-rank], *lengths[:-1], last)]

    return rule


def _real_grad(forward):
    def grad(xp, attrs, inputs, outputs, cts, wanted):
        x, length = inputs
        back = xp.rfft_adjoint if forward else xp.irfft_adjoint
        return (back(cts[0], x, length), None)

    return grad


def _register_real(name, forward, rank):
    kind = "rfft" if forward else "irfft"

    @op(
        name, fits=f"{rank}+ [{rank}]", shape=_real_shape(rank, forward), static=("fft_length",),
        grad=_real_grad(forward), needs=("input", "fft_length"), naming=Naming(name.lower()),
    )
    def kernel(xp, input, fft_length, Treal=None, Tcomplex=None):
        require.vector("fft_length", fft_length, rank)
        _check_types(input.dtype, Tcomplex if forward else Treal, forward)
        lengths = _check_lengths(_lengths(fft_length))
        _check_sizes(_check_rank(input, rank), lengths, forward)
        return xp.fftn(input, kind, lengths)


for _rank, _suffix in ((1, ""), (2, "2D"), (3, "3D")):
    _register_complex("FFT" + _suffix, "fft", _rank)
    _register_complex("IFFT" + _suffix, "ifft", _rank)
    _register_real("RFFT" + _suffix, True, _rank)
    _register_real("IRFFT" + _suffix, False, _rank)
    for _name in ("FFT" + _suffix, "IFFT" + _suffix):
        also_called("Batch" + _name, get(_name))  # before version 15 of the graph format the others took no batches


# --- over given axes --------------------------------------------------------------------------------------------------


def _moved(xp, x, axes, back=False):
    """`x` with the given axes at the end, or moved back from there."""
    ndim = xp.ndim(x)
    last = [a % ndim for a in axes]
    order = [a for a in range(ndim) if a not in last] + last
    return xp.transpose(x, tuple(np.argsort(order).tolist() if back else order))


_UNEQUAL = "fft_length has {} elements for {} axes"


def _nd_shape(forward):
    def rule(f):
        dims, lengths, axes = f.shapes[0], f.values[1], f.values[2]
        if dims is None or not isinstance(lengths, tuple) or not isinstance(axes, tuple):
            return [None if dims is None else (None,) * len(dims)]
        if len(axes) != len(lengths):
            raise ValueError(_UNEQUAL.format(len(lengths), len(axes)))
        out = list(dims)
        for axis, length in zip(axes, lengths, strict=True):
            out[axis] = length
        if forward is True:
            last = lengths[-1]
            out[axes[-1]] = None if last is None else last // 2 + 1
        return [tuple(out)]

    return rule


def _nd_grad(forward):
    """The adjoint of a real transform, over the same axes."""

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        x, length, axes = inputs
        places = np.reshape(axes, -1).tolist()
        back = xp.rfft_adjoint if forward else xp.irfft_adjoint
        return (
            _moved(xp, back(_moved(xp, cts[0], places), _moved(xp, x, places), length), places, back=True), None, None
        )

    return grad


def _register_nd(name, kind, forward=None):
    grad = None if forward is None else _nd_grad(forward)

    @op(
        name, fits="1+", shape=_nd_shape(forward), static=("fft_length", "axes"), grad=grad,
        naming=Naming(name.lower()),
    )
    def kernel(xp, input, fft_length, axes, **types):
        require.vectors(fft_length=fft_length, axes=axes)
        places = axes.tolist()
        if any(not -input.ndim <= place < input.ndim for place in places):
            raise ValueError(
                f"axes {rules.text(tuple(places))} are not those of an input of shape {rules.text(input.shape)}"
            )
        if np.size(fft_length) != len(places):
            raise ValueError(_UNEQUAL.format(np.size(fft_length), len(places)))
        return _moved(xp, xp.fftn(_moved(xp, input, places), kind, _lengths(fft_length)), places, back=True)


_register_nd("FFTND", "fft")
_register_nd("IFFTND", "ifft")
_register_nd("RFFTND", "rfft", True)
_register_nd("IRFFTND", "irfft", False)
