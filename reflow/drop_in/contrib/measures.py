"""`tf.contrib.metrics` and `tf.contrib.losses`.

Those of `tf.metrics` and `tf.losses`, with predictions in front of labels.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from reflow.api.math import arithmetic, reduce
from reflow.compat import losses as v1_losses
from reflow.compat.metrics import counts, means, top_k
from reflow.core import dtypes
from reflow.drop_in.contrib.scopes import add_arg_scope


def _predictions_first(function: Callable, first: str = "predictions") -> Callable:
    """A function of labels and predictions that takes them the other way round."""
    names = list(inspect.signature(function).parameters)
    second = names[0]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        order = [first, second, *names[2:]]
        return function(**dict(zip(order, args, strict=False)), **kwargs)

    return call


_SWAPPED = {
    means: "accuracy mean_absolute_error mean_squared_error root_mean_squared_error mean_cosine_distance mean_iou "
        "mean_relative_error",
    counts: "auc precision recall true_positives true_negatives false_positives false_negatives "
        "sensitivity_at_specificity specificity_at_sensitivity precision_at_thresholds recall_at_thresholds",
    top_k: "recall_at_k average_precision_at_k",
}  # fmt: skip


def accuracy(predictions, labels, weights=None, name=None):
    """The share of predictions that are their labels, in one batch."""
    right = arithmetic.cast(arithmetic.equal(predictions, labels), dtypes.float32)
    if weights is None:
        return reduce.reduce_mean(right, name=name)
    weights = arithmetic.cast(weights, dtypes.float32)
    return arithmetic.divide(reduce.reduce_sum(right * weights), reduce.reduce_sum(weights + 0.0 * right), name=name)


def aggregate_metrics(*value_update_tuples: tuple[Any, Any]) -> tuple[list, list]:
    """Pairs of values and updates as a list of values and one of updates."""
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: Mapping[str, tuple[Any, Any]]) -> tuple[dict, dict]:
    """Pairs of values and updates by name as a dictionary of values and one of updates."""
    return {k: v[0] for k, v in names_to_tuples.items()}, {k: v[1] for k, v in names_to_tuples.items()}


METRICS: dict[str, Any] = {
    f"streaming_{name}": _predictions_first(getattr(module, name)) for module, words in _SWAPPED.items()
    for name in words.split()
    if hasattr(module, name)
}
METRICS |= {
    "streaming_mean": means.mean, "streaming_mean_tensor": means.mean_tensor,
    "streaming_percentage_less": means.percentage_below, "accuracy": accuracy, "aggregate_metrics": aggregate_metrics,
    "aggregate_metric_map": aggregate_metric_map,
}


# --- losses


def _swapped_loss(function: Callable, first: str) -> Callable:
    """A loss of contrib: predictions in front of labels, and no collection or reduction to choose."""
    swapped = _predictions_first(function, first)
    renamed = {"weight": "weights", "targets": "labels"}
    return add_arg_scope(functools.wraps(function)(
        lambda *args, **kwargs: swapped(*args, **{renamed.get(k, k): v for k, v in kwargs.items()})
    ))


LOSSES: dict[str, Any] = {
    name: _swapped_loss(getattr(v1_losses, name), "predictions")
    for name in (
        "absolute_difference", "mean_squared_error", "log_loss", "cosine_distance", "mean_pairwise_squared_error"
    )
}
LOSSES |= {
    "softmax_cross_entropy": _swapped_loss(v1_losses.softmax_cross_entropy, "logits"),
    "sigmoid_cross_entropy": _swapped_loss(v1_losses.sigmoid_cross_entropy, "logits"),
    "sparse_softmax_cross_entropy": _swapped_loss(v1_losses.sparse_softmax_cross_entropy, "logits"),
    "hinge_loss": _swapped_loss(v1_losses.hinge_loss, "logits"),
    "compute_weighted_loss": v1_losses.compute_weighted_loss, "add_loss": v1_losses.add_loss,
    "get_losses": v1_losses.get_losses, "get_regularization_losses": v1_losses.get_regularization_losses,
    "get_total_loss": v1_losses.get_total_loss,
}
