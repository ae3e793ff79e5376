"""`tensorflow.python.ops.metrics_impl`: what streaming metrics of other libraries are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.compat.metrics import base, counts

metric_variable = base.metric_variable
_KINDS = ("tp", "fn", "tn", "fp")


def _remove_squeezable_dimensions(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Predictions, labels and weights of one rank: a last dimension of 1 that only one of them has is taken away."""
    if labels is None:
        predictions, _, weights = base.labels_and_predictions(predictions, predictions, weights)
        return predictions, None, weights
    labels, predictions, weights = base.labels_and_predictions(labels, predictions, weights)
    return predictions, labels, weights


def _confusion_matrix_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None,
    includes: Sequence[str] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """True and false positives and negatives at each threshold: two dictionaries by "tp", "fn", "tn" and "fp", or by
    those of `includes`.

    Returns:
      Their values, and the operations that add a batch.
    """
    wanted = _KINDS if includes is None else includes
    for kind in wanted:
        if kind not in _KINDS:
            raise ValueError(f"Invalid key: {kind}.")
    found = counts.at_thresholds(labels, predictions, thresholds, weights, wanted)
    return (
        {kind: variable.value() for kind, (variable, _) in found.items()},
        {kind: update for kind, (_, update) in found.items()},
    )
