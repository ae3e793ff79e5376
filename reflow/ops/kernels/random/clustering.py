"""`KMC2ChainInitialization`: how the k-means of TensorFlow's Estimators chose a further centre, by a Markov chain."""

from __future__ import annotations

import numpy as np

from reflow.ops import philox, require
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as xp


@op("KMC2ChainInitialization", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def kmc2_chain(_, distances, seed):
    """The last state of a chain that begins with candidate 0 and moves on to a candidate at distance d, from one at distance e,
    with probability d / e."""
    require.vector("distances", distances)
    require.scalar("seed", seed)
    if not distances.size:
        raise ValueError("distances must have at least one entry")
    draws = philox.uniform(xp, np.array([int(seed) & (1 << 64) - 1], np.uint64), np.zeros(2, np.uint64), (distances.size,), np.dtype(np.float32))
    chosen = 0
    for i in range(1, distances.size):
        if distances[i] > draws[i - 1] * distances[chosen]:
            chosen = i
    return np.asarray(chosen, np.int64)
