"""Convolutions, max pooling and their gradients for eager code (`windows.h`).

Without XLA or the GIL, on our own threads.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from reflow import native

#: the kernels by their number in `windows.h: run_windows`
KINDS = (
    "convolution", "input_gradient", "filter_gradient",
    "depthwise", "depthwise_input_gradient", "depthwise_filter_gradient",
    "max_pool", "max_pool_gradient",
)  # fmt: skip
FLOAT32 = np.dtype(np.float32)
MOST = 2**62  # limit of a number passed to the library


def run(
    kind: str, operands: Sequence[np.ndarray], shape: Sequence[int], strides: Sequence[int],
    padding: Sequence[Sequence[int]], dilations: Sequence[int] | None = None, window: Sequence[int] = (1, 1),
) -> np.ndarray | None:
    """The result, of this shape, of one of `KINDS`; None to use NumPy.

    Args:
      kind: a name in `KINDS`; the "depthwise" ones have one filter per channel.
      operands: an image and a filter; the result's gradient and the filter; the image and that gradient; an image; or
      an image, its pool and the gradient of the pool: float32 arrays with four axes.
      shape: of the result.
      strides, dilations, window: a number for each of the two axes; the last is for pooling.
      padding: (before, after) for each axis.

    >>> image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    >>> pooled = run("max_pool", [image], (1, 2, 2, 1), (2, 2), ((0, 0), (0, 0)), window=(2, 2))
    >>> pooled is None or pooled.ravel().tolist() == [5.0, 7.0, 13.0, 15.0]
    True
    """
    numbers = [*operands[0].shape, *operands[1 if len(operands) > 1 else 0].shape, *shape, *strides]
    numbers += [*padding[0], *padding[1], *(dilations or (1, 1)), *window]
    right = all(x.dtype == FLOAT32 and x.ndim == 4 for x in operands) and len(numbers) == 22 and max(numbers) < MOST
    library = native._for_host() if right and min(numbers[:12]) > 0 else None
    if library is None:
        return None
    whole = [np.ascontiguousarray(x) for x in operands]
    addresses = [x.ctypes.data for x in whole]
    addresses += [addresses[0]] * (3 - len(addresses))
    out = np.empty(shape, FLOAT32)  # every element is written, or the array is discarded
    library.reflow_windows.restype = ctypes.c_bool
    done = library.reflow_windows(
        ctypes.c_int64(KINDS.index(kind)), (ctypes.c_int64 * 22)(*numbers), (ctypes.c_void_p * 3)(*addresses),
        native._pointer(out),
    )
    return out if done else None
