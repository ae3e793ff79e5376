"""Initializers and regularizers of `tf.contrib.layers`: how weights begin, and what they cost."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.math import arithmetic, unary
from reflow.api.math import reduce as reductions
from reflow.api.nn import losses as nn_losses
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.initializers import GlorotNormal, GlorotUniform, VarianceScaling

Regularizer = Callable[[Any], Any]


def xavier_initializer(uniform=True, seed=None, dtype=None):
    """Glorot's initializer, uniform or normal."""
    return GlorotUniform(seed) if uniform else GlorotNormal(seed)


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=None):
    """Samples whose variance is `factor` over the number of inputs, of outputs, or their mean."""
    kind = "uniform" if uniform else "truncated_normal"
    return VarianceScaling(factor, mode.lower(), kind, seed)


def _checked(scale: Any) -> Any:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
    return scale


def l2_regularizer(scale, scope=None) -> Regularizer:
    """A function that gives `scale` times half the sum of squares; None for a scale of 0."""
    return (lambda weights: scale * nn_losses.l2_loss(weights)) if _checked(scale) else (lambda _: None)


def l1_regularizer(scale, scope=None) -> Regularizer:
    """A function that gives `scale` times the sum of absolute values; None for a scale of 0."""
    return (lambda weights: scale * reductions.reduce_sum(unary.abs(weights))) if _checked(scale) else (lambda _: None)


def sum_regularizer(regularizer_list: Sequence[Regularizer | None], scope=None) -> Regularizer | None:
    """A function that adds up what several regularizers give; None without any."""
    found = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not found:
        return None

    def total(weights: Any) -> Any:
        costs = [cost for cost in (regularizer(weights) for regularizer in found) if cost is not None]
        return arithmetic.add_n(costs) if costs else None

    return total


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None) -> Regularizer | None:
    """The sum of the two penalties."""
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)])


def apply_regularization(regularizer: Regularizer, weights_list=None):
    """The sum of the penalties of weights, by default of all in the collection WEIGHTS.

    It is added to the penalties of the graph.
    """
    weights = get_default_graph().get_collection(GraphKeys.WEIGHTS) if weights_list is None else weights_list
    if not weights:
        raise ValueError("No weights to regularize.")
    penalty = arithmetic.add_n([regularizer(w) for w in weights])
    get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)
    return penalty
