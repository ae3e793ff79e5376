"""INT8 ranges by entropy: where to clip a tensor so that 128 steps lose the least information.

The data goes through the network twice. The first pass finds the largest value of each tensor, the second fills a
*histogram* of absolute values up to it. Then many clipping points are tried: the histogram up to there, with all larger
values in its last bin, is the *reference*; the same counts spread evenly over each of 128 steps are what INT8
preserves. The point with the smallest Kullback-Leibler divergence between the two is the range. NVIDIA's calibrators
work this way (Migacz, "8-bit Inference with TensorRT", GTC 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reflow.engine.precision import measured
from reflow.graph.func_graph import FuncGraph

BINS = 2048
STEPS = 128  # of INT8 on one side of zero
# of a count: what an empty bin holds where the reference has clipped values, so that these cost much and not everything
ALMOST_NONE = 1e-4
STRIDE = 8  # bins between clipping points: 241 of them, 10 ms per tensor


def entropy_ranges(graph: FuncGraph, samples: Sequence[Sequence[np.ndarray]]) -> dict[str, float]:
    """node name -> the range that keeps most information about its numbers."""
    names, run = measured(graph, _seen)
    largest = [0.0] * len(names)
    for sample in samples:
        largest = [max(old, float(new)) for old, (new, _) in zip(largest, run(sample, largest), strict=True)]
    counts = [np.zeros(BINS) for _ in names]
    for sample in samples:
        counts = [old + np.asarray(new) for old, (_, new) in zip(counts, run(sample, largest), strict=True)]
    return {name: clipping_point(count, top) for name, count, top in zip(names, counts, largest)}


def _seen(xp: Any, value: Any, largest: Any) -> tuple[Any, Any]:
    """The largest absolute value, and how many lie in each of the bins up to `largest`. One program gives both:
    compiling two takes longer than counting twice."""
    sizes = xp.ravel(xp.abs(xp.asarray(value, np.float32)))
    places = xp.minimum(sizes * (BINS / xp.maximum(largest, np.float32(1e-30))), BINS - 1)
    counts = xp.bincount(places.astype(np.int32), **({"length": BINS} if xp is not np else {"minlength": BINS}))
    return xp.max(sizes) if sizes.size else 0.0, counts


def clipping_point(counts: np.ndarray, largest: float) -> float:
    """The place at which a histogram of absolute values up to `largest` is best clipped."""
    counts = counts.astype(np.float64)
    counts[0] = counts[1]  # a ReLU's zeros are exact at any scale, and would outweigh everything else
    if largest == 0.0 or not counts.any():
        return largest
    places = list(range(STEPS, BINS + 1, STRIDE))
    lost = [divergence(counts, place) for place in places]
    best = len(lost) - 1 - int(np.argmin(lost[::-1]))  # of equals the one that clips least
    return largest * places[best] / BINS


def divergence(counts: np.ndarray, place: int) -> float:
    """The Kullback-Leibler divergence of what INT8 keeps of the first `place` bins,
    where the others fall into the last of these."""
    kept = counts[:place]
    steps = np.arange(place) * STEPS // place
    filled = kept > 0
    # the counts of a step are spread over those of its bins that had any
    sums = np.bincount(steps, kept, STEPS)
    shares = sums / np.maximum(np.bincount(steps, filled, STEPS), 1)
    spread = np.where(filled, shares[steps], 0.0)
    reference = kept.copy()
    reference[-1] += counts[place:].sum()
    used = reference > 0
    p = reference[used] / reference.sum()
    q = np.maximum(spread[used], ALMOST_NONE) / max(spread.sum(), ALMOST_NONE)
    return float(np.sum(p * np.log(p / q)))
