"""TensorFlow's initialization of k-means centers: k-means++, or a Markov chain for each further center.

Both draw from Philox with the op's seed as key, word by word: a float is one word, an index two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reflow.core import errors
from reflow.ops import philox, require
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as xp


def _key(seed: np.ndarray) -> np.ndarray:
    return np.array([int(seed) & (1 << 64) - 1], np.uint64)


def _words(key: np.ndarray) -> Iterator[int]:
    """The generator's 32-bit words, one after the other."""
    block = 0
    while True:
        counter = philox.counter_array(block)
        yield from philox.full_int(xp, key, counter, (4,), philox.U32).tolist()
        block += 1


def _index(words: Iterator[int], count: int) -> int:
    """A uniform index below `count`: draws in the last, incomplete multiple of `count` are thrown away."""
    while True:
        drawn = next(words) | next(words) << 32
        if drawn < (1 << 64) - (1 << 64) % count:
            return drawn % count


def _weighted(words: Iterator[int], weights: np.ndarray) -> int:
    """An index with probability proportional to its weight."""
    sums = np.cumsum(weights, dtype=np.float32)
    drawn = philox.unit_float(xp, np.array([next(words)], np.uint32), philox.F32)[0]
    return min(int(np.searchsorted(sums, drawn * sums[-1])), weights.size - 1)


@op(
    "KmeansPlusPlusInitialization", shape=lambda f: [(None, f.shapes[0][1]) if f.shapes[0] else None], grad=NO_GRADIENT,
    host=True,
)
def kmeans_plus_plus(_, points, num_to_sample, seed, num_retries_per_sample):
    """Rows of `points`: the first uniform, each further one with probability proportional to the square of its distance
    from those before. Of `1 + num_retries_per_sample` candidates the one that leaves the smallest sum of such squares
    is taken."""
    require.matrix("points", points)
    require.scalars(num_to_sample=num_to_sample, seed=seed, num_retries_per_sample=num_retries_per_sample)
    wanted, retries, count = int(num_to_sample), int(num_retries_per_sample), len(points)
    if wanted <= 0:
        raise errors.InvalidArgumentError(None, None, "Expected num_to_sample > 0.")
    if wanted > count:
        raise errors.InvalidArgumentError(None, None, f"Expected num_to_sample <= points.rows(). {wanted} vs {count}.")
    retries = retries if retries >= 0 else 2 + int(math.log(wanted))
    words = _words(_key(seed))
    chosen: list[int] = []
    halves = np.sum(points * points, 1) * np.float32(0.5)
    nearest = np.full(count, np.inf, np.float32)  # squares of distances from the nearest chosen point
    while len(chosen) < wanted:
        best, least, candidate = nearest, None, 0
        for _ in range(1 + retries):
            i = _weighted(words, nearest) if chosen else _index(words, count)
            squares = np.maximum(2 * (halves + halves[i] - points @ points[i]), np.float32(0))
            left = np.minimum(nearest, squares)
            total = left.sum()
            if least is None or total < least:
                best, least, candidate = left, total, i
        nearest = best
        chosen.append(candidate)
    return points[chosen]


@op("KMC2ChainInitialization", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def kmc2_chain(_, distances, seed):
    """The last state of a chain that begins with candidate 0 and moves on to a candidate at distance d, from one at
    distance e, with probability d / e."""
    require.vector("distances", distances)
    require.scalar("seed", seed)
    if not distances.size:
        raise ValueError("distances must have at least one entry")
    draws = philox.uniform(xp, _key(seed), np.zeros(2, np.uint64), (distances.size,), philox.F32)
    chosen = 0
    for i in range(1, distances.size):
        if distances[i] > draws[i - 1] * distances[chosen]:
            chosen = i
    return np.asarray(chosen, np.int64)
