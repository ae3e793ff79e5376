"""Facts about Fourier transforms shared by `xp.host` and `xp.xla`: the shape and the dtype of a result."""

from __future__ import annotations

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import complex_dtype, real_dtype


def fft_result(x: Array, kind: str, lengths: Static) -> tuple[tuple[int, ...], np.dtype]:
    """(shape, dtype) of the transform `kind` of the last axes of x, cropped or padded to `lengths`."""
    lengths = tuple(lengths)
    outer = tuple(x.shape[: x.ndim - len(lengths)])
    if kind == "irfft":
        return (*outer, *lengths), real_dtype(x.dtype)
    if kind == "rfft":
        return (*outer, *lengths[:-1], lengths[-1] // 2 + 1 if lengths[-1] else 0), complex_dtype(x.dtype)
    return (*outer, *lengths), x.dtype
