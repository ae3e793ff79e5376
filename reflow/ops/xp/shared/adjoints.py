"""Gradients of reductions and Fourier transforms.

They read no shapes, so they work on arrays and on tensors of unknown shape.
"""

from __future__ import annotations

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.protocols import Xp


def unreduce(xp: Xp, g: Array, x: Array, axes: Static, keepdims: bool) -> Array:
    """The gradient of a sum of x over `axes`: g at every element that was summed, in x's shape."""
    return xp.broadcast_like(xp.keep_axes(g, x, axes, keepdims), x)


def rfft_adjoint(xp: Xp, g: Array, x: Array, lengths: Static) -> Array:
    """The gradient of the real transform of x to `lengths`.

    The half of the spectrum that is not stored has no cotangent.
    """
    lengths = xp.static_axes(lengths)
    count = len(lengths)
    whole = xp.real(xp.fft_last(xp.conj(xp.fit_last(g, lengths)), "fft", count))
    return xp.cast(xp.fit_last(whole, xp.last_sizes(x, count)), x.dtype)


def irfft_adjoint(xp: Xp, g: Array, x: Array, lengths: Static) -> Array:
    """The gradient of the inverse real transform of x to `lengths`.

    An element of the stored half of the spectrum represents itself and its mirror image, so it counts twice; the first
    one, and for an even length the last one, has no mirror image.
    """
    lengths = xp.static_axes(lengths)
    counts = np.full(lengths[-1] // 2 + 1, 2.0)
    counts[0] = 1
    if lengths[-1] % 2 == 0:
        counts[-1] = 1
    spectrum = xp.fftn(g, "rfft", lengths)
    spectrum = xp.multiply(spectrum, xp.asarray(counts / np.prod(lengths), spectrum.dtype))
    return xp.cast(xp.fit_last(spectrum, xp.last_sizes(x, len(lengths))), x.dtype)
