"""Metrics of true and false positives and negatives, at one threshold or at many."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic, unary
from reflow.api.math import reduce as reductions
from reflow.compat.metrics import base
from reflow.core import dtypes
from reflow.ops.convert import constant, convert_to_tensor

EPSILON = 1e-7
_NAMES = {
    "tp": "true_positives",
    "fp": "false_positives",
    "tn": "true_negatives",
    "fn": "false_negatives",
}

#: what the examples of these metrics are given
_LABELS = "labels=[1, 0, 1, 0], predictions=[1, 1, 0, 0]"
_SCORES = "labels=[1, 0, 1], predictions=[0.9, 0.6, 0.2], thresholds=[0.1, 0.5]"

#: what their docstrings say of the arguments
_OF_BOOLEANS = {
    "labels": "The true values, which are converted to booleans.",
    "predictions": "The predicted values, of the same shape, which are converted to booleans.",
}
_OF_SCORES = {
    "labels": "The true values, which are converted to booleans.",
    "predictions": "Scores, of the same shape.",
    "thresholds": "Numbers; a prediction is positive if its score is greater.",
}


def _booleans(labels, predictions, weights) -> tuple[Any, Any, Any]:
    labels, predictions, weights = base.labels_and_predictions(labels, predictions, weights)
    return arithmetic.cast(labels, dtypes.bool_), arithmetic.cast(predictions, dtypes.bool_), weights


def _cases(labels, predictions) -> dict:
    """Which elements are true and false positives and negatives."""
    no_label, no_prediction = unary.logical_not(labels), unary.logical_not(predictions)
    return {
        "tp": arithmetic.logical_and(labels, predictions),
        "fp": arithmetic.logical_and(no_label, predictions),
        "tn": arithmetic.logical_and(no_label, no_prediction),
        "fn": arithmetic.logical_and(labels, no_prediction),
    }


def _count(kind, labels, predictions, weights, name=None):
    """A variable that counts one kind, and its value after this batch."""
    variable = base.metric_variable([], "float32", name or "count")
    hits = base.where_true(_cases(labels, predictions)[kind], weights)
    return variable, base.add(variable, reductions.reduce_sum(hits))


def _counter(kind: str):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with base.in_scope(name, metric.__name__):
            variable, update = _count(kind, *_booleans(labels, predictions, weights))
            return base.collected(variable.value(), update, metrics_collections, updates_collections)

    doc = base.doc_of(f"Sums the weights of {_NAMES[kind].replace('_', ' ')}.", **_OF_BOOLEANS)
    example = base.example_of(_NAMES[kind], _LABELS, "1.0")
    return export_function(metric, f"compat.v1.metrics.{_NAMES[kind]}", doc=doc, example=example)


true_positives = _counter("tp")
false_positives = _counter("fp")
true_negatives = _counter("tn")
false_negatives = _counter("fn")


def _share(public: str, other: str, doc: str, shown: str):
    """True positives over themselves and another kind."""

    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with base.in_scope(name, metric.__name__):
            given = _booleans(labels, predictions, weights)
            hits, new_hits = _count("tp", *given, "true_positives/count")
            misses, new_misses = _count(other, *given, f"{_NAMES[other]}/count")
            value = base.ratio(hits, hits + misses, "value")
            update = base.ratio(new_hits, new_hits + new_misses, "update_op")
            return base.collected(value, update, metrics_collections, updates_collections)

    example = base.example_of(public, _LABELS, shown)
    return export_function(metric, f"compat.v1.metrics.{public}", doc=base.doc_of(doc, **_OF_BOOLEANS), example=example)


precision = _share("precision", "fp", "Computes the share of positive predictions that are true.", "0.5")
recall = _share("recall", "fn", "Computes the share of positive labels that are predicted.", "0.5")


# --- at thresholds ----------------------------------------------------------------------------------------------------


def at_thresholds(labels, predictions, thresholds, weights, kinds):
    """Variables with counts at each threshold, and their values after this batch: kind -> (variable, update)."""
    labels, predictions, weights = base.labels_and_predictions(labels, predictions, weights)
    labels = arrange.reshape(arithmetic.cast(labels, dtypes.bool_), [1, -1])
    predictions = arrange.reshape(base.as_float(predictions), [1, -1])
    limits = arrange.reshape(constant([float(t) for t in thresholds]), [-1, 1])
    positive = arithmetic.greater(predictions, limits)
    cases = _cases(arrange.broadcast_to(labels, arrange.shape(positive)), positive)
    if weights is not None:
        full = (
            arrange.broadcast_to(base.as_float(weights), [arrange.size(predictions)]) if not weights.shape.rank
            else weights
        )
        weights = arrange.broadcast_to(arrange.reshape(base.as_float(full), [1, -1]), arrange.shape(positive))
    found = {}
    for kind in kinds:
        variable = base.metric_variable([len(thresholds)], "float32", _NAMES[kind])
        hits = base.where_true(cases[kind], weights)
        found[kind] = variable, base.add(variable, reductions.reduce_sum(hits, 1))
    return found


def _counter_at_thresholds(kind: str, shown: str):
    def metric(
        labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
    ):
        with base.in_scope(name, _NAMES[kind]):
            variable, update = at_thresholds(labels, predictions, thresholds, weights, (kind,))[kind]
            return base.collected(variable.value(), update, metrics_collections, updates_collections)

    doc = base.doc_of(f"Sums the weights of {_NAMES[kind].replace('_', ' ')}, at each threshold.", **_OF_SCORES)
    example = base.example_of(f"{_NAMES[kind]}_at_thresholds", _SCORES, shown)
    return export_function(metric, f"compat.v1.metrics.{_NAMES[kind]}_at_thresholds", doc=doc, example=example)


true_positives_at_thresholds = _counter_at_thresholds("tp", "[2. 1.]")
false_positives_at_thresholds = _counter_at_thresholds("fp", "[1. 1.]")
true_negatives_at_thresholds = _counter_at_thresholds("tn", "[0. 0.]")
false_negatives_at_thresholds = _counter_at_thresholds("fn", "[0. 1.]")


def _share_at_thresholds(public: str, other: str, doc: str, shown: str):
    def metric(
        labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
    ):
        with base.in_scope(name, metric.__name__):
            found = at_thresholds(labels, predictions, thresholds, weights, ("tp", other))
            (hits, new_hits), (misses, new_misses) = found["tp"], found[other]
            value = arithmetic.divide(hits, EPSILON + hits + misses, name="value")
            update = arithmetic.divide(new_hits, EPSILON + new_hits + new_misses, name="update_op")
            return base.collected(value, update, metrics_collections, updates_collections)

    example = base.example_of(public, _SCORES, shown)
    return export_function(metric, f"compat.v1.metrics.{public}", doc=base.doc_of(doc, **_OF_SCORES), example=example)


precision_at_thresholds = _share_at_thresholds(
    "precision_at_thresholds", "fp", "Computes the share of positive predictions that are true, at each threshold.",
    "[0.667 0.5  ]",
)
recall_at_thresholds = _share_at_thresholds(
    "recall_at_thresholds", "fn", "Computes the share of positive labels that are predicted, at each threshold.",
    "[1.  0.5]",
)


def _thresholds(count: int) -> list:
    inner = [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]
    return [0.0 - EPSILON, *inner, 1.0 + EPSILON]


@export("compat.v1.metrics.auc")
@with_sections(base.METRIC, gives="the new value")
def auc(
    labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None,
    curve="ROC", name=None, summation_method="trapezoidal", thresholds=None,
):
    """Approximates the area under the curve of true against false positives (ROC) or of precision against recall (PR).

    Args:
      labels: The true values, which are converted to booleans.
      predictions: Scores between 0 and 1, of the same shape.
      num_thresholds: At how many thresholds positives are counted.
      curve: "ROC" or "PR".
      summation_method: "trapezoidal", "minoring" and "majoring", which take the mean, the lower and the higher end of
        each step, or "careful_interpolation", for PR.
      thresholds: The thresholds between 0 and 1, in place of `num_thresholds` equally spaced ones.

    Raises:
      ValueError: There is no such curve or method.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.auc(labels=[1, 0, 1, 0], predictions=[0.9, 0.1, 0.8, 0.3])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).round(3).item()
    1.0
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"Curve must be either ROC or PR. Curve is {curve}.")
    if summation_method not in ("trapezoidal", "minoring", "majoring", "careful_interpolation"):
        raise ValueError(f"Invalid summation_method: {summation_method}")
    with base.in_scope(name, "auc"):
        if thresholds is not None:
            limits = [0.0 - EPSILON, *sorted(thresholds), 1.0 + EPSILON]
        else:
            limits = _thresholds(num_thresholds)
        found = at_thresholds(labels, predictions, limits, weights, ("tp", "fn", "tn", "fp"))
        value = _area({k: v for k, (v, _) in found.items()}, curve, summation_method, "value")
        update = _area({k: u for k, (_, u) in found.items()}, curve, summation_method, "update_op")
        return base.collected(value, update, metrics_collections, updates_collections)


def _area(counts, curve, method, name):
    tp, fn, tn, fp = (convert_to_tensor(counts[k]) for k in ("tp", "fn", "tn", "fp"))
    if curve == "PR" and method == "careful_interpolation":
        return arrange.identity(_interpolated_area(tp, fp, fn), name=name)
    recall_rate = arithmetic.divide(tp + EPSILON, tp + fn + EPSILON)
    if curve == "ROC":
        x, y = arithmetic.divide(fp, fp + tn + EPSILON), recall_rate
    else:
        x, y = recall_rate, arithmetic.divide(tp + EPSILON, tp + fp + EPSILON)
    widths = x[:-1] - x[1:]
    if method == "minoring":
        heights = arithmetic.minimum(y[:-1], y[1:])
    elif method == "majoring":
        heights = arithmetic.maximum(y[:-1], y[1:])
    else:
        heights = (y[:-1] + y[1:]) / 2.0
    return reductions.reduce_sum(arithmetic.multiply(widths, heights), name=name)


def _interpolated_area(tp, fp, fn):
    """The area under precision and recall, where true positives are taken as linear between two thresholds."""
    step = tp[:-1] - tp[1:]
    p = tp + fp
    slope = arithmetic.divide_no_nan(step, arithmetic.maximum(p[:-1] - p[1:], 0.0))
    intercept = tp[1:] - slope * p[1:]
    both = arithmetic.logical_and(p[:-1] > 0.0, p[1:] > 0.0)
    relative = arithmetic.where(
        both, arithmetic.divide_no_nan(p[:-1], arithmetic.maximum(p[1:], 0.0)), arrange.identity(p[1:]) * 0.0 + 1.0
    )
    return reductions.reduce_sum(
        arithmetic.divide_no_nan(
            slope * (step + intercept * unary.log(relative)), arithmetic.maximum(tp[1:] + fn[1:], 0.0)
        )
    )


def _at_rate(labels, predictions, rate, weights, count, name, compute) -> tuple[Any, Any]:
    with base.in_scope(name[0], name[1]):
        found = at_thresholds(labels, predictions, _thresholds(count), weights, ("tp", "fn", "tn", "fp"))
        values = {k: convert_to_tensor(v) for k, (v, _) in found.items()}
        updates = {k: u for k, (_, u) in found.items()}
        return compute(values, rate, "value"), compute(updates, rate, "update_op")


def _check_share(**given):
    for name, share in given.items():
        if share < 0 or share > 1:
            raise ValueError(f"`{name}` must be in the range [0, 1]. Currently, `{name}` is {share}.")


_AT = base.sections(
    {
        "labels": "The true values, which are converted to booleans.",
        "predictions": "Scores between 0 and 1, of the same shape.",
        "{fixed}": "A number from 0 to 1.",
        "num_thresholds": "How many thresholds are tried.",
        **base.WEIGHTS,
    },
    errors="  ValueError: `{fixed}` is out of range.\n",
)


@export("compat.v1.metrics.sensitivity_at_specificity")
@with_sections(_AT, fixed="specificity", gives="the new value")
def sensitivity_at_specificity(
    labels, predictions, specificity, weights=None, num_thresholds=200, metrics_collections=None,
    updates_collections=None, name=None,
):
    """Computes the sensitivity at the threshold where the specificity is nearest to a given one.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.sensitivity_at_specificity(
    ...         labels=[1, 0, 1, 0], predictions=[0.9, 0.1, 0.2, 0.3], specificity=1.0)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).round(3).item()
    0.5
    """
    _check_share(specificity=specificity)

    def compute(c, rate, label):
        specificities = arithmetic.divide(c["tn"], c["tn"] + c["fp"] + EPSILON)
        place = reductions.argmin(unary.abs(specificities - rate), 0, dtypes.int32)
        return arithmetic.divide(c["tp"][place], c["tp"][place] + c["fn"][place] + EPSILON, name=label)

    names = name, "sensitivity_at_specificity"
    pair = _at_rate(labels, predictions, specificity, weights, num_thresholds, names, compute)
    return base.collected(*pair, metrics_collections, updates_collections)


@export("compat.v1.metrics.specificity_at_sensitivity")
@with_sections(_AT, fixed="sensitivity", gives="the new value")
def specificity_at_sensitivity(
    labels, predictions, sensitivity, weights=None, num_thresholds=200, metrics_collections=None,
    updates_collections=None, name=None,
):
    """Computes the specificity at the threshold where the sensitivity is nearest to a given one.

    Of thresholds that are equally near, the last counts.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.specificity_at_sensitivity(
    ...         labels=[1, 0, 1, 0], predictions=[0.9, 0.1, 0.2, 0.3], sensitivity=1.0)
    ...     for tensor in (tf.compat.v1.local_variables_initializer(), update):
    ...         _ = session.run(tensor)
    ...     f"{session.run(value):.3f}"
    '0.500'
    """
    _check_share(sensitivity=sensitivity)

    def compute(c, rate, label):
        sensitivities = arithmetic.divide(c["tp"], c["tp"] + c["fn"] + EPSILON)
        nearest = reductions.reduce_min(unary.abs(sensitivities - rate))
        near = arithmetic.equal(unary.abs(sensitivities - rate), nearest)
        from_the_end = reductions.argmax(arithmetic.cast(near, dtypes.int32)[::-1], 0, dtypes.int32)
        place = arrange.size(near) - 1 - from_the_end
        return arithmetic.divide(c["tn"][place], c["tn"][place] + c["fp"][place] + EPSILON, name=label)

    names = name, "specificity_at_sensitivity"
    pair = _at_rate(labels, predictions, sensitivity, weights, num_thresholds, names, compute)
    return base.collected(*pair, metrics_collections, updates_collections)
