"""Precision and recall of the k classes with the highest scores.

Labels are class numbers, several for each example: a tensor with them in its last dimension, or a sparse tensor. A
prediction is the list of the k best classes.
"""

from __future__ import annotations

from reflow.api.array import arrange, sorting
from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic
from reflow.api.math import reduce as reductions
from reflow.api.sparse import tensors as sparse
from reflow.compat.metrics import base
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run

#: what their docstrings say of the arguments
_LABELS = "The true classes, int64, several for each example in the last axis, or a `tf.sparse.SparseTensor` of them."
_FURTHER = {
    "class_id": "The one class that counts; all by default.", "weights": "What each example counts; 1 by default."
}


def _dense_labels(labels, rank: int):
    """Class numbers in the last dimension; -1 where a row of a sparse tensor has none."""
    if isinstance(labels, SparseTensor):
        return arithmetic.cast(sparse.to_dense(labels, default_value=-1), dtypes.int64)
    labels = arithmetic.cast(convert_to_tensor(labels), dtypes.int64)
    return arrange.expand_dims(labels, -1) if labels.shape.rank == rank - 1 else labels


def _hits(labels, best):
    """[..., k]: whether each of the best classes is among the labels."""
    same = arithmetic.equal(arrange.expand_dims(best, -1), arrange.expand_dims(labels, -2))
    return reductions.reduce_any(same, axis=-1)


def _counts(labels, best, class_id, weights):
    """True positives, false positives and false negatives, for each example."""
    hits = _hits(labels, best)
    found = reductions.reduce_any(
        arithmetic.equal(arrange.expand_dims(labels, -1), arrange.expand_dims(best, -2)), axis=-1
    )
    real = arithmetic.greater_equal(labels, arithmetic.cast(0, dtypes.int64))
    missed = arithmetic.logical_and(real, run("LogicalNot", found))
    wrong = run("LogicalNot", hits)
    if class_id is not None:
        number = arithmetic.cast(class_id, dtypes.int64)
        is_best, is_label = arithmetic.equal(best, number), arithmetic.equal(labels, number)
        hits, wrong = arithmetic.logical_and(hits, is_best), arithmetic.logical_and(wrong, is_best)
        missed = arithmetic.logical_and(missed, is_label)
    sums = [reductions.reduce_sum(arithmetic.cast(x, dtypes.float64), -1) for x in (hits, wrong, missed)]
    if weights is not None:
        sums = [s * arithmetic.cast(convert_to_tensor(weights), dtypes.float64) for s in sums]
    return sums


def _metric(default, labels, best, class_id, weights, other, collections, name):
    with base.in_scope(name, default):
        best = arithmetic.cast(convert_to_tensor(best), dtypes.int64)
        labels = _dense_labels(labels, best.shape.rank)
        sums = _counts(labels, best, class_id, weights)
        tag = "" if class_id is None else f"_class{class_id}"
        hits = base.metric_variable([], "float64", f"true_positive_at_{best.shape[-1]}{tag}")
        kind = "false_positive" if other == 1 else "false_negative"
        rest = base.metric_variable([], "float64", f"{kind}_at_{best.shape[-1]}{tag}")
        new_hits = base.add(hits, reductions.reduce_sum(sums[0]))
        new_rest = base.add(rest, reductions.reduce_sum(sums[other]))
        value = arithmetic.divide(hits, hits + rest.value(), name=default)
        update = arithmetic.divide(new_hits, new_hits + new_rest, name="update")
        return base.collected(value, update, *collections)


def _at_top_k(share: str, other: int, doc: str, shown: str):
    def metric(
        labels, predictions_idx, k=None, class_id=None, weights=None, metrics_collections=None,
        updates_collections=None, name=None,
    ):
        where = metrics_collections, updates_collections
        return _metric(f"{share}_at_{k}", labels, predictions_idx, class_id, weights, other, where, name)

    example = base.example_of(
        f"{share}_at_top_k", "tf.constant([[0], [2]], tf.int64), tf.constant([[0, 1], [0, 1]], tf.int64), k=2", shown
    )
    special = {
        "labels": _LABELS, "predictions_idx": "The numbers of the best classes, in the last axis.",
        "k": "How many they are.", **_FURTHER,
    }
    doc = base.doc_of(doc, **special)
    return export_function(metric, f"compat.v1.metrics.{share}_at_top_k", doc=doc, example=example)


precision_at_top_k = _at_top_k(
    "precision", 1, "Computes the share of the best classes that are labels.", "0.25"
)
recall_at_top_k = _at_top_k(
    "recall", 2, "Computes the share of labels that are among the best classes.", "0.5"
)


def _at_k(public: str, of_best, doc: str, shown: str):
    """Turns the metric `of_best`, which takes the best classes, into one that takes all scores."""

    def metric(
        labels, predictions, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None,
        name=None,
    ):
        best = sorting.top_k(convert_to_tensor(predictions), k)[1]
        return of_best(labels, best, k, class_id, weights, metrics_collections, updates_collections, name)

    given = "tf.constant([[0], [2]], tf.int64), [[0.6, 0.3, 0.1], [0.5, 0.4, 0.1]], k=2"
    example = base.example_of(public, given, shown)
    scores = "The scores of all classes, in the last axis."
    special = {"labels": _LABELS, "predictions": scores, "k": "How many of the best classes count.", **_FURTHER}
    return export_function(metric, f"compat.v1.metrics.{public}", doc=base.doc_of(doc, **special), example=example)


precision_at_k = _at_k(
    "precision_at_k", precision_at_top_k,
    "Computes the share of the k classes with the highest scores that are labels.", "0.25",
)
sparse_precision_at_k = _at_k("sparse_precision_at_k", precision_at_top_k, "The old name of `precision_at_k`.", "0.25")
recall_at_k = _at_k(
    "recall_at_k", recall_at_top_k,
    "Computes the share of labels that are among the k classes with the highest scores.", "0.5",
)


_AVERAGE_PRECISION = """\
Args:
  labels: The true classes, int64, several for each example in the last axis, or a `tf.sparse.SparseTensor` of them.
  predictions: The scores of all classes, in the last axis.
  k: How many of the best classes count.
  weights: What each example counts; 1 by default.
"""


@export("compat.v1.metrics.average_precision_at_k")
@with_sections(base.METRIC, gives="the new value")
@with_sections(_AVERAGE_PRECISION)
def average_precision_at_k(
    labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the mean over examples of the mean precision at the places, up to k, where a label is found.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.average_precision_at_k(
    ...         tf.constant([[0], [2]], tf.int64), [[0.6, 0.3, 0.1], [0.5, 0.4, 0.1]], k=2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    with base.in_scope(name, f"average_precision_at_{k}"):
        best = arithmetic.cast(sorting.top_k(convert_to_tensor(predictions), k)[1], dtypes.int64)
        labels = _dense_labels(labels, best.shape.rank)
        hits = base.as_float(_hits(labels, best))
        places = arithmetic.cast(reductions.cumsum(hits * 0.0 + 1.0, axis=-1), dtypes.float32)
        precisions = reductions.cumsum(hits, axis=-1) / places
        real = base.as_float(arithmetic.greater_equal(labels, arithmetic.cast(0, dtypes.int64)))
        count = arithmetic.minimum(reductions.reduce_sum(real, -1), float(k))
        values = arithmetic.divide_no_nan(reductions.reduce_sum(precisions * hits, -1), count)
        return base.running_mean(values, weights, metrics_collections, updates_collections)


@export("compat.v1.metrics.sparse_average_precision_at_k")
@with_sections(base.METRIC, gives="the new value")
@with_sections(_AVERAGE_PRECISION)
def sparse_average_precision_at_k(
    labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The old name of `average_precision_at_k`.

    >>> with tf.Graph().as_default():
    ...     value, update = tf.compat.v1.metrics.sparse_average_precision_at_k(
    ...         tf.constant([[0], [2]], tf.int64), [[0.6, 0.3, 0.1], [0.5, 0.4, 0.1]], k=2)
    ...     with tf.compat.v1.train.SingularMonitoredSession() as session:      # initialises the metric
    ...         session.run(update).item()
    0.5
    """
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)
