"""The geometry of convolutions and pooling: plain Python on ints and tuples.

A *window* slides over the spatial axes (all except the first, batch, and the last, channels). Its *taps* are the
positions inside the window, in row-major order; tap k of output position i reads the padded input at `i * stride + k *
dilation`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np


class Window(NamedTuple):
    """The geometry of a convolution or pooling over the spatial axes."""

    size: tuple
    strides: tuple
    padding: tuple
    dilations: tuple
    padded: tuple
    out: tuple

    def taps(self) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
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
    def is_pointwise(self) -> bool:
        return all(k == 1 for k in self.size) and all(s == 1 for s in self.strides) and not self.is_padded

    @property
    def is_padded(self) -> bool:
        return any(before or after for before, after in self.padding)


def window_of(
    spatial: Sequence[int], size: Sequence[int], strides: Sequence[int], padding: Sequence[Sequence[int]],
    dilations: Sequence[int] | None = None,
) -> Window:
    rank = len(spatial)
    dilations = tuple(dilations) if dilations else (1,) * rank
    padded = tuple([n + before + after for n, (before, after) in zip(spatial, padding, strict=True)])
    out = tuple(
        [max(0, (n - (k - 1) * d - 1) // s + 1) for n, k, s, d in zip(padded, size, strides, dilations, strict=True)]
    )
    return Window(tuple(size), tuple(strides), tuple(map(tuple, padding)), dilations, padded, out)


def pool_counts(spatial: Sequence[int], window: Window) -> np.ndarray:
    """The number of real (not padded) elements in each pooling window, shaped (*out, 1), float32."""
    counts = np.ones((1,), np.float32)
    for n, k, s, (before, _), out in zip(spatial, window.size, window.strides, window.padding, window.out, strict=True):
        first = np.arange(out) * s - before
        covered = np.minimum(first + k, n) - np.maximum(first, 0)
        counts = counts[..., None] * np.maximum(covered, 1).astype(np.float32)
    return counts[0][..., None] if spatial else counts
