"""An ensemble of trees as arrays.

The nodes of a tree are in heap order: the children of node n are 2n + 1 and 2n + 2, so no links are needed. Every node
has a value, the logits that the tree adds for an example that ends there; a node without a feature is a leaf. An
example goes right if its bucket of the node's feature is above the node's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from reflow.api.array import arrange, creation
from reflow.api.array.indexing import gather
from reflow.api.math import arithmetic, reduce
from reflow.core import dtypes

LEAF = -1


def node_count(max_depth: int) -> int:
    """How many nodes a tree of this depth can have."""
    return 2 ** (max_depth + 1) - 1


class Ensemble(NamedTuple):
    """The trees, and the progress of training: the tree and layer to grow next.

    `feature`, `bucket` and `gain` are [trees, nodes], `value` is [trees, nodes, logits], `bias` [logits]; the others
    are numbers. `attempts` counts the layers that were tried.
    """

    feature: Any
    bucket: Any
    gain: Any
    value: Any
    bias: Any
    tree: Any
    layer: Any
    attempts: Any


class Walk(NamedTuple):
    """The ways of examples through all trees: nodes and features at each depth, [batch, trees];
    the sum of the values at the ends."""

    nodes: list
    features: list
    logits: Any


def walk(ensemble: Ensemble, buckets: Any, max_depth: int) -> Walk:
    """Send examples with these buckets through all trees."""
    trees, size = ensemble.feature.shape.as_list()
    feature, bucket = arrange.reshape(ensemble.feature, [-1]), arrange.reshape(ensemble.bucket, [-1])
    roots = creation.range(trees) * size
    node = creation.zeros(arrange.stack([arrange.shape(buckets)[0], trees]), dtypes.int32)
    nodes, features = [node], []
    for _ in range(max_depth):
        chosen = gather(feature, roots + node)
        own = gather(buckets, arithmetic.maximum(chosen, 0), batch_dims=1)
        right = arithmetic.cast(own > gather(bucket, roots + node), dtypes.int32)
        node = arithmetic.where(arithmetic.equal(chosen, LEAF), node, 2 * node + 1 + right)
        nodes.append(node)
        features.append(chosen)
    return Walk(nodes, features, ensemble.bias + reduce.reduce_sum(values_at(ensemble, node), 1))


def values_at(ensemble: Ensemble, node: Any) -> Any:
    """The values of one node of every tree for each example: [batch, trees, logits]."""
    trees, size, logits = ensemble.value.shape.as_list()
    return gather(arrange.reshape(ensemble.value, [-1, logits]), creation.range(trees) * size + node)
