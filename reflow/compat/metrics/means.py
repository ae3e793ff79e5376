"""Metrics that are means: of values, of errors, of matches."""

from __future__ import annotations

import inspect

from reflow.api.array import arrange
from reflow.api.export import export, export_function, with_sections
from reflow.api.linalg import diag
from reflow.api.math import arithmetic, segment, unary
from reflow.api.math import reduce as reductions
from reflow.compat.behavior import get_default_graph
from reflow.compat.metrics import base
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


def _mean(public: str, measure, doc: str, values: str, example: str):
    def metric(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with base.in_scope(name, "mean"):
            return measure(values, weights, metrics_collections, updates_collections)

    doc = base.doc_of(doc, values=values)
    return export_function(metric, f"compat.v1.metrics.{public}", doc=doc, example=example)


def _mean_of_tensors(values, weights, metrics_collections, updates_collections):
    values = base.as_float(values)
    total = base.metric_variable(values.shape, "float32", "total_tensor")
    count = base.metric_variable(values.shape, "float32", "count_tensor")
    number = arrange.identity(values) * 0.0 + 1.0
    if weights is not None:
        values, number = base.weighted(values, weights)
    new_total = base.add(total, values)
    with get_default_graph().control_dependencies([values]):
        new_count = base.add(count, number)
    value = arithmetic.divide_no_nan(total, count, name="value")
    update = arithmetic.divide_no_nan(new_total, new_count, name="update_op")
    return base.collected(value, update, metrics_collections, updates_collections)


mean = _mean(
    "mean", base.running_mean, "Computes the mean of all values so far.", "A tensor of any shape.", example="""
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean([1.0, 2.0, 6.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item(), session.run(value).item()
    (3.0, 3.0)
    """,
)
mean_tensor = _mean(
    "mean_tensor", _mean_of_tensors, "Computes the mean of tensors of one shape, element by element.",
    "A tensor of known shape.", example="""
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_tensor([1.0, 3.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).tolist()
    [1.0, 3.0]
    """,
)


@export("compat.v1.metrics.accuracy")
@with_sections(base.METRIC, gives="the new value")
def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Computes how often predictions equal labels.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.accuracy(labels=[1, 2, 3, 4], predictions=[1, 2, 3, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.75
    """
    with base.in_scope(name, "accuracy"):
        labels, predictions, weights = base.labels_and_predictions(labels, predictions, weights)
        predictions.shape.assert_is_compatible_with(labels.shape)
        if labels.dtype != predictions.dtype:
            predictions = arithmetic.cast(predictions, labels.dtype)
        hits = arithmetic.equal(predictions, labels)
        return base.running_mean(hits, weights, metrics_collections, updates_collections)


def _error(public: str, compute, value, doc: str, shown: str):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with base.in_scope(name, metric.__name__):
            labels, predictions, weights = base.labels_and_predictions(labels, predictions, weights)
            errors = compute(base.as_float(labels), base.as_float(predictions))
            return base.running_mean(errors, weights, metrics_collections, updates_collections, value)

    example = base.example_of(public, "labels=[1.0, 2.0], predictions=[2.0, 5.0]", shown)
    return export_function(metric, f"compat.v1.metrics.{public}", doc=base.doc_of(doc), example=example)


mean_absolute_error = _error(
    "mean_absolute_error", lambda y, p: unary.abs(p - y), None, "Computes the mean of `|predictions - labels|`.", "2.0"
)
mean_squared_error = _error(
    "mean_squared_error", lambda y, p: unary.square(y - p), None, "Computes the mean of `(predictions - labels)²`.",
    "5.0",
)
root_mean_squared_error = _error(
    "root_mean_squared_error", lambda y, p: unary.square(y - p), unary.sqrt,
    "Computes the square root of the mean of `(predictions - labels)²`.", "2.236",
)


@export("compat.v1.metrics.mean_relative_error")
@with_sections(base.METRIC, gives="the new value")
def mean_relative_error(
    labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the mean of `|predictions - labels| / normalizer`; a quotient is 0 where the normalizer is 0.

    Args:
      normalizer: The values by which the errors are divided, of the same shape.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_relative_error(
    ...         labels=[1.0, 2.0], predictions=[2.0, 5.0], normalizer=[2.0, 2.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0
    """
    with base.in_scope(name, "mean_relative_error"):
        labels, predictions, weights = base.labels_and_predictions(labels, predictions, weights)
        errors = unary.abs(base.as_float(labels) - base.as_float(predictions))
        relative = arithmetic.divide_no_nan(errors, base.as_float(normalizer))
        return base.running_mean(relative, weights, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_cosine_distance")
@with_sections(base.METRIC, gives="the new value")
def mean_cosine_distance(
    labels, predictions, dim, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes 1 minus the mean of the inner products of unit vectors along an axis.

    Args:
      labels: The true vectors, of length 1.
      predictions: The predicted vectors, of length 1, in the same shape.
      dim: The axis along which the vectors lie.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_cosine_distance(
    ...         labels=[[1.0, 0.0], [0.0, 1.0]], predictions=[[1.0, 0.0], [1.0, 0.0]], dim=1)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    with base.in_scope(name, "mean_cosine_distance"):
        products = reductions.reduce_sum(base.as_float(predictions) * base.as_float(labels), axis=[dim], keepdims=True)
        if weights is not None:
            weights = base.as_float(weights)
        return base.running_mean(products, weights, metrics_collections, updates_collections, lambda m: 1.0 - m)


@export("compat.v1.metrics.percentage_below")
@with_sections(base.METRIC, gives="the new value")
def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Computes the share of values below a threshold.

    Args:
      values: A tensor of any shape.
      threshold: A number.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.percentage_below([1.0, 2.0, 3.0, 4.0], threshold=2.5)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.5
    """
    with base.in_scope(name, "percentage_below_threshold"):
        below = arithmetic.less(convert_to_tensor(values), threshold)
        return base.running_mean(below, weights, metrics_collections, updates_collections)


def _confusion(labels, predictions, num_classes, weights):
    """A variable with the confusion matrix so far, and its value after this batch."""
    total = base.metric_variable([num_classes, num_classes], "float64", "total_confusion_matrix")
    labels, predictions = (
        arrange.reshape(arithmetic.cast(convert_to_tensor(x), dtypes.int64), [-1]) for x in (labels, predictions)
    )
    if weights is not None:
        weights = arrange.reshape(arithmetic.cast(convert_to_tensor(weights), dtypes.float64), [-1])
    now = segment.confusion_matrix(labels, predictions, num_classes, weights=weights, dtype=dtypes.float64)
    return total, base.add(total, now)


def _of_classes(public: str, scope: str, measure, gives: str, doc: str, example: str):
    """A metric of class numbers; `measure` returns its value and its update."""

    def metric(
        labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None
    ):
        with base.in_scope(name, scope):
            value, update = measure(labels, predictions, num_classes, weights)
            return base.collected(value, update, metrics_collections, updates_collections)

    doc = f"""{doc}

    Args:
      labels: The true classes, integers.
      predictions: The predicted classes, of the same shape.
      num_classes: How many classes there are.
    """
    function = export_function(metric, f"compat.v1.metrics.{public}", doc=inspect.cleandoc(doc), example=example)
    return with_sections(base.METRIC, gives=gives)(function)


def _mean_iou(labels, predictions, num_classes, weights):
    total, update = _confusion(labels, predictions, num_classes, weights)
    matrix = arithmetic.cast(total, dtypes.float32)
    rows, columns = reductions.reduce_sum(matrix, 0), reductions.reduce_sum(matrix, 1)
    hits = diag.diag_part(matrix)
    union = rows + columns - hits
    there = reductions.reduce_sum(arithmetic.cast(arithmetic.not_equal(union, 0.0), dtypes.float32))
    union = arithmetic.where(union > 0.0, union, 1.0)
    return arithmetic.divide_no_nan(reductions.reduce_sum(hits / union), there, name="mean_iou"), update


mean_iou = _of_classes(
    "mean_iou", "mean_iou", _mean_iou, "the new confusion matrix",
    "Computes the mean of intersection over union, over the classes that occur.",
    example="""
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_iou(labels=[0, 1, 1], predictions=[0, 1, 0], num_classes=2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).tolist()      # the confusion matrix
    ...     session.run(value).item()
    [[1.0, 0.0], [1.0, 1.0]]
    0.5
    """,
)


def _mean_per_class_accuracy(labels, predictions, num_classes, weights):
    labels = arrange.reshape(arithmetic.cast(convert_to_tensor(labels), dtypes.int64), [-1])
    predictions = arrange.reshape(arithmetic.cast(convert_to_tensor(predictions), dtypes.int64), [-1])
    total, count = (base.metric_variable([num_classes], "float32", n) for n in ("total", "count"))
    hits = arithmetic.cast(arithmetic.equal(predictions, labels), dtypes.float32)
    ones = hits * 0.0 + 1.0
    if weights is not None:
        given = arrange.reshape(base.as_float(weights), [-1])
        hits, ones = hits * given, ones * given
    new_count = base.add(count, segment.unsorted_segment_sum(ones, labels, num_classes))
    new_total = base.add(total, segment.unsorted_segment_sum(hits, labels, num_classes))
    value = reductions.reduce_mean(arithmetic.divide_no_nan(total, count), name="mean_accuracy")
    return value, arithmetic.divide_no_nan(new_total, new_count, name="update_op")


mean_per_class_accuracy = _of_classes(
    "mean_per_class_accuracy", "mean_accuracy", _mean_per_class_accuracy, "the accuracy of each class",
    "Computes the mean of the accuracies of the classes.",
    example="""
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean_per_class_accuracy(
    ...         labels=[0, 1, 1], predictions=[0, 1, 0], num_classes=2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).tolist()      # of each class
    ...     session.run(value).item()
    [1.0, 0.5]
    0.75
    """,
)
