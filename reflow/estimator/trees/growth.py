"""Growth of an ensemble: batches are accumulated into statistics, and after some of them a whole layer of the current
tree is split.

Training has three *phases*. Batches first provide the quantiles of numeric features, then the bias if it is to be
centered, then layers. The gain of a split is its reduction of the loss in second-order approximation: with the sum g of
the gradients and h of the second derivatives of a leaf's examples, the best value is -g / (h + l2), and its gain is g²
/ (h + l2). `l1` first shrinks g towards 0; a layer adds `learning_rate` times the values.

Each step is a function from a `State` to the next, without side effects; `estimators.py` keeps the state in variables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from reflow.api.array import arrange, creation, sorting
from reflow.api.array.indexing import gather, tensor_scatter_nd_update
from reflow.api.math import arithmetic, clip, reduce, segment, unary
from reflow.core import dtypes
from reflow.estimator.trees.ensemble import LEAF, Ensemble
from reflow.function.control_flow import cond

SKETCH, CENTER, GROW = range(3)
SKETCH_STEP = 8  # of this many points of the sketch, one is a quantile
_TINY = 1e-15
_CENTERED = 0.01  # a bias that moves less stays


class Settings(NamedTuple):
    """The options of the estimators that say how trees grow."""

    n_trees: int
    max_depth: int
    learning_rate: float
    l1: float
    l2: float
    tree_complexity: float
    min_node_weight: float
    center_bias: bool
    pruning_mode: str
    batches_per_layer: int
    quantiles: int


class State(NamedTuple):
    """All that changes in training. `gradients` and `hessians` are sums over batches, [nodes of a layer, features,
    buckets, logits].

    `sample` and `weight` are a sketch of the numeric features' values, [features, points]: each point stands for as
    many values as its weight.
    """

    ensemble: Ensemble
    boundaries: Any
    phase: Any
    gradients: Any
    hessians: Any
    sample: Any
    weight: Any
    batches: Any


class Batch(NamedTuple):
    """The statistics of one batch.

    They are the numbers of numeric features or None, and for each example its buckets, its node of the current tree,
    its gradients and hessians.
    """

    numbers: Any
    buckets: Any
    node: Any
    gradients: Any
    hessians: Any


def sketch_points(quantiles: int) -> int:
    """How many points the sketch of a feature has: the first and the last are quantiles."""
    return SKETCH_STEP * (quantiles - 1) + 1


def stepped(state: State, batch: Batch, settings: Settings) -> State:
    """The state after a batch."""
    full = arithmetic.equal(state.batches + 1, settings.batches_per_layer)
    state = state._replace(batches=arithmetic.where(full, 0, state.batches + 1))

    def centered_or_grown() -> State:
        added = _added(state, batch, settings)
        grown = cond(full, lambda: _emptied(_layer_done(added, settings)), lambda: added)
        if not settings.center_bias:
            return grown
        is_centered = arithmetic.equal(state.phase, GROW)
        return cond(
            is_centered, lambda: grown, lambda: cond(full, lambda: _emptied(_centered(added, settings)), lambda: added)
        )

    if batch.numbers is None:
        return centered_or_grown()
    is_sketch = arithmetic.equal(state.phase, SKETCH)
    return cond(is_sketch, lambda: _sketched(state, batch.numbers, full, settings), centered_or_grown)


# --- quantiles


def _sketched(state: State, numbers: Any, full: Any, settings: Settings) -> State:
    """Add a batch to the sketch; a full one gives the boundaries."""
    values = arrange.concat([state.sample, arrange.transpose(numbers)], 1)
    weights = arrange.concat([state.weight, creation.ones_like(arrange.transpose(numbers))], 1)
    sample = _at_ranks(values, weights, state.sample.shape[1])
    weight = creation.zeros_like(sample) + reduce.reduce_sum(weights, 1, keepdims=True) / state.sample.shape[1]
    boundaries = arithmetic.where(full, sample[:, ::SKETCH_STEP], state.boundaries)
    phase = arithmetic.where(full, CENTER if settings.center_bias else GROW, state.phase)
    return state._replace(sample=sample, weight=weight, boundaries=boundaries, phase=phase)


def _at_ranks(values: Any, weights: Any, points: int) -> Any:
    """As many of the values, at equal distances of rank from the least to the greatest."""
    order = sorting.argsort(values, stable=True)
    values, reached = gather(values, order, batch_dims=1), reduce.cumsum(gather(weights, order, batch_dims=1), 1)
    total = reached[:, -1:]
    # the least value begins behind rank 0; rounding must not put the last rank behind the greatest
    ranks = clip.clip_by_value(np.linspace(0.0, 1.0, points, dtype="float32") * total, 1e-6 * total, total)
    return gather(values, sorting.searchsorted(reached, ranks), batch_dims=1)


# --- statistics


def _added(state: State, batch: Batch, settings: Settings) -> State:
    """Add a batch's gradients to the nodes, features and buckets of its examples."""
    nodes, features, buckets, logits = state.gradients.shape.as_list()
    start = _layer_start(state.ensemble)
    node = batch.node - start
    # an example in a leaf of a layer above is done with this tree; when all trees are grown, every example is
    inside = (node >= 0) & (node <= start)
    counts = arithmetic.cast(inside, dtypes.float32)[:, None]
    places = (
        (arithmetic.where(inside, node, 0)[:, None] * features + np.arange(features, dtype="int32")) * buckets
        + batch.buckets
    )

    def total(by_example: Any) -> Any:
        rows = arrange.tile((by_example * counts)[:, None, :], [1, features, 1])
        sums = segment.unsorted_segment_sum(
            arrange.reshape(rows, [-1, logits]), arrange.reshape(places, [-1]), nodes * features * buckets
        )
        return arrange.reshape(sums, [nodes, features, buckets, logits]) / settings.batches_per_layer

    return state._replace(
        gradients=state.gradients + total(batch.gradients), hessians=state.hessians + total(batch.hessians)
    )


def _emptied(state: State) -> State:
    return state._replace(gradients=creation.zeros_like(state.gradients), hessians=creation.zeros_like(state.hessians))


def _layer_start(ensemble: Ensemble) -> Any:
    """The first node of the layer that grows."""
    return arithmetic.left_shift(1, ensemble.layer) - 1


def current_tree(ensemble: Ensemble, settings: Settings) -> Any:
    """The tree that is growing, or the last one when all are complete."""
    return arithmetic.minimum(ensemble.tree, settings.n_trees - 1)


def _centered(state: State, settings: Settings) -> State:
    """One Newton step of the bias; the phase is over when it moves little."""
    root_g, root_h = (reduce.reduce_sum(sums[:, 0], [0, 1]) for sums in (state.gradients, state.hessians))
    step, _ = _leaf(root_g, root_h, settings)
    done = reduce.reduce_all(unary.abs(step) <= _CENTERED)
    ensemble = state.ensemble._replace(bias=state.ensemble.bias + step)
    return state._replace(ensemble=ensemble, phase=arithmetic.where(done, GROW, state.phase))


# --- splits


def _leaf(gradient: Any, hessian: Any, settings: Settings) -> tuple[Any, Any]:
    """The best value of a leaf, and what it gains, for each logit."""
    shrunk = unary.sign(gradient) * arithmetic.maximum(unary.abs(gradient) - settings.l1, 0.0)
    below = hessian + settings.l2
    usable = below > _TINY
    value = arithmetic.where(usable, -shrunk / arithmetic.where(usable, below, 1.0), 0.0)
    return value, -shrunk * value


class _Splits(NamedTuple):
    """The best split of each node of a layer: whether there is one, where, its gain and the values of the two sides."""

    found: Any
    feature: Any
    bucket: Any
    gain: Any
    sides: Any


def _best_splits(state: State, settings: Settings) -> _Splits:
    nodes, _, buckets, logits = state.gradients.shape.as_list()
    left_g, left_h = reduce.cumsum(state.gradients, 2), reduce.cumsum(state.hessians, 2)
    total_g, total_h = left_g[:, :, -1:], left_h[:, :, -1:]
    left, right = _leaf(left_g, left_h, settings), _leaf(total_g - left_g, total_h - left_h, settings)
    both = reduce.reduce_sum(left[1] + right[1], -1)
    heavy = [reduce.reduce_euclidean_norm(h, -1) >= settings.min_node_weight for h in (left_h, total_h - left_h)]
    both = arrange.reshape(arithmetic.where(heavy[0] & heavy[1], both, -np.inf), [nodes, -1])
    best = reduce.argmax(both, 1, dtypes.int32)
    before = reduce.reduce_sum(_leaf(total_g, total_h, settings)[1], [1, 2, 3]) / state.gradients.shape[1]
    gain = reduce.reduce_max(both, 1) - before - settings.tree_complexity
    sides = [gather(arrange.reshape(values, [nodes, -1, logits]), best, batch_dims=1) for values in (left[0], right[0])]
    seen = reduce.reduce_any(arithmetic.not_equal(total_h[:, 0, 0], 0.0), -1)
    found = seen & (gain > -np.inf)
    if settings.pruning_mode == "pre":
        found &= gain >= 0.0
    return _Splits(found, best // buckets, best % buckets, gain, arrange.stack(sides, 1))


def _layer_done(state: State, settings: Settings) -> State:
    """Split the nodes of the layer.

    A tree whose layer has no split, or is the last, is done; one without any is tried again.
    """
    ensemble, splits = state.ensemble, _best_splits(state, settings)
    width = state.gradients.shape[0]
    parents = _layer_start(ensemble) + np.arange(width, dtype="int32")
    inside = np.arange(width, dtype="int32") < arithmetic.left_shift(1, ensemble.layer)
    found = splits.found & inside & (ensemble.tree < settings.n_trees)
    tree = current_tree(ensemble, settings)

    def put(rows: Any, nodes: Any, new: Any, mask: Any) -> Any:
        places = arrange.stack([creation.zeros_like(nodes) + tree, nodes], 1)
        old = gather(gather(rows, tree), nodes)
        return tensor_scatter_nd_update(rows, places, arithmetic.where(mask, new, old))

    children = arrange.reshape(arrange.stack([2 * parents + 1, 2 * parents + 2], 1), [-1])
    at_parents = gather(gather(ensemble.value, tree), parents)
    values = arrange.reshape(at_parents[:, None] + settings.learning_rate * splits.sides, [2 * width, -1])
    any_split = reduce.reduce_any(found)
    last = arithmetic.equal(ensemble.layer + 1, settings.max_depth)
    done = arithmetic.where(any_split, last, ensemble.layer > 0)
    feature = put(ensemble.feature, parents, splits.feature, found)
    gain = put(ensemble.gain, parents, splits.gain, found)
    if settings.pruning_mode == "post":
        feature = cond(done, lambda: _pruned(feature, gain, tree, settings), lambda: feature)
    grown = Ensemble(
        feature, put(ensemble.bucket, parents, splits.bucket, found), gain,
        put(ensemble.value, children, values, creation.repeat(found, 2)[:, None]), ensemble.bias,
        ensemble.tree + arithmetic.cast(done, dtypes.int32),
        arithmetic.where(done, 0, ensemble.layer + arithmetic.cast(any_split, dtypes.int32)), ensemble.attempts + 1,
    )
    return state._replace(ensemble=grown)


def _pruned(feature: Any, gain: Any, tree: Any, settings: Settings) -> Any:
    """Prunes a tree: from the leaves upwards, a split that does not gain enough becomes a leaf."""
    row, gains = gather(feature, tree), gather(gain, tree)
    for layer in reversed(range(settings.max_depth)):
        nodes = np.arange(2**layer - 1, 2 ** (layer + 1) - 1)
        ends = arithmetic.equal(gather(row, 2 * nodes + 1), LEAF) & arithmetic.equal(gather(row, 2 * nodes + 2), LEAF)
        kept = arithmetic.where(ends & (gather(gains, nodes) < 0.0), LEAF, gather(row, nodes))
        row = tensor_scatter_nd_update(row, nodes[:, None], kept)
    return tensor_scatter_nd_update(feature, arrange.reshape(tree, [1, 1]), row[None])
