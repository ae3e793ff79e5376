"""Heads: what a canned model does with its outputs (*logits*).

Loss, predictions and metrics for classification or regression.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.array.indexing import gather
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.nn import activations
from reflow.api.nn import losses as nn_losses
from reflow.api.strings import elementwise
from reflow.compat import losses as v1_losses
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.metrics import counts, means
from reflow.compat.saved_model.export_outputs import ClassificationOutput, PredictOutput, RegressionOutput
from reflow.compat.train.global_step import get_global_step
from reflow.core import dtypes
from reflow.estimator.optimizers import optimizer_of
from reflow.estimator.spec import EstimatorSpec, ModeKeys
from reflow.lookup.public import KeyValueTensorInitializer, StaticHashTable
from reflow.ops.convert import convert_to_tensor

Reduction = v1_losses.Reduction


@export("estimator.Head", "compat.v1.estimator.Head")
class Head:
    """Turns logits into an `EstimatorSpec`.

    Args:
      logits_dimension: how many numbers the model gives for an example.
      weight_column: the feature, or numeric column, that says how much each example counts.
      loss_reduction: how the losses of a batch become one.
      loss_fn: a function of labels and logits that gives the loss of each example, instead of the head's own.
      name: stands behind the names of metrics, and in front of predictions where there are several heads.

    >>> tf.estimator.RegressionHead(label_dimension=2).logits_dimension
    2
    """

    def __init__(
        self, logits_dimension: int, weight_column=None, loss_reduction=Reduction.SUM, loss_fn=None, name=None
    ) -> None:
        self.logits_dimension, self.weight_column = logits_dimension, weight_column
        self.loss_reduction, self._loss_fn, self._name = _reduction(loss_reduction), loss_fn, name

    name = property(lambda self: self._name)

    # what kinds of heads differ in

    def labels(self, labels) -> Any:
        """Labels in the form that `losses` takes."""
        raise NotImplementedError

    def losses(self, labels, logits) -> Any:
        """The loss of each example, [batch size, 1]."""
        raise NotImplementedError

    def predictions(self, logits) -> dict:
        """The predictions by name."""
        raise NotImplementedError

    def metrics(self, labels, predictions, losses, weights) -> dict:
        """Metrics by name, each a pair of a value and an update."""
        raise NotImplementedError

    def outputs(self, predictions) -> dict:
        """Signatures of an exported model."""
        raise NotImplementedError

    # what they share

    def create_estimator_spec(
        self, features, mode, logits, labels=None, optimizer=None, trainable_variables=None, train_op_fn=None,
        update_ops=None, regularization_losses=None,
    ) -> EstimatorSpec:
        """What a model function returns.

        Either `train_op_fn(loss)` gives the operation that trains, or `optimizer` moves `trainable_variables` after
        `update_ops`. `regularization_losses` are added to the loss.
        """
        predictions = self.predictions(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=self.outputs(predictions))
        loss = self.loss(labels, logits, features, mode, regularization_losses)
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(
                mode, predictions, loss, eval_metric_ops=self.all_metrics(features, labels, logits, predictions)
            )
        return EstimatorSpec(
            mode, predictions, loss, train_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        )

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None) -> Any:
        """The loss of a batch."""
        labels, weights = self._given(labels), self._weights(features)
        loss = v1_losses.compute_weighted_loss(
            self._losses(labels, logits), 1.0 if weights is None else weights, reduction=self.loss_reduction
        )
        return arithmetic.add_n([loss, *regularization_losses]) if regularization_losses else loss

    def all_metrics(self, features, labels, logits, predictions) -> dict:
        """The metrics of an evaluation, by name with the head's name appended."""
        labels, weights = self._given(labels), self._weights(features)
        found = self.metrics(labels, predictions, self._losses(labels, logits), weights)
        return {f"{key}/{self._name}" if self._name else key: value for key, value in found.items()}

    def _given(self, labels) -> Any:
        if labels is None:
            raise ValueError(
                "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your data "
                "contain your label feature. Check that your input_fn properly parses and returns labels."
            )
        return self.labels(labels)

    def _losses(self, labels, logits) -> Any:
        return self.losses(labels, logits) if self._loss_fn is None else _column(self._loss_fn(labels, logits))

    def _weights(self, features) -> Any:
        if self.weight_column is None:
            return None
        key = getattr(self.weight_column, "key", self.weight_column)
        weights = arithmetic.cast(features[key], dtypes.float32)
        normalizer = getattr(self.weight_column, "normalizer_fn", None)
        weights = weights if normalizer is None else normalizer(weights)
        return arrange.expand_dims(weights, -1) if weights.shape.rank == 1 else weights


def _reduction(given: str) -> str:
    """The reduction of the loss, under Keras' or version 1's name."""
    words = {
        "sum_over_batch_size": Reduction.SUM_OVER_BATCH_SIZE, "auto": Reduction.SUM_OVER_BATCH_SIZE,
        "sum": Reduction.SUM,
    }
    chosen = words.get(given, given)
    if chosen not in Reduction.all() or chosen == Reduction.NONE:
        raise ValueError(f"Invalid loss_reduction: {given}")
    return chosen


def train_op(loss, optimizer, trainable_variables, train_op_fn, update_ops) -> Any:
    """The operation that trains: of a function, or of an optimizer."""
    if (optimizer is None) == (train_op_fn is None):
        raise ValueError(f"train_op_fn and optimizer cannot both be {'None' if optimizer is None else 'set'}.")
    if train_op_fn is not None:
        return train_op_fn(loss)
    before = get_default_graph().get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
    with control_dependencies(before):
        return optimizer_of(optimizer, 0.001).minimize(loss, get_global_step(), trainable_variables)


def _column(labels) -> Any:
    """Labels as a column: [batch size, 1]."""
    labels = convert_to_tensor(labels)
    return arrange.expand_dims(labels, -1) if labels.shape.rank == 1 else labels


def at_thresholds(thresholds, labels, chances, weights) -> dict:
    """Accuracy, precision and recall where a chance above a threshold says yes."""
    found: dict[str, Any] = {}
    for threshold in thresholds:
        above = arithmetic.cast(arithmetic.greater_equal(chances, threshold), dtypes.float32)
        found[f"accuracy/positive_threshold_{threshold:g}"] = means.accuracy(labels, above, weights)
        for name, metric in (("precision", counts.precision_at_thresholds), ("recall", counts.recall_at_thresholds)):
            pair = metric(labels, chances, [threshold], weights)
            found[f"{name}/positive_threshold_{threshold:g}"] = tuple(arrange.squeeze(part) for part in pair)
    return found


def _checked_thresholds(thresholds) -> tuple:
    for threshold in thresholds or ():
        if not 0.0 < threshold < 1.0:
            raise ValueError(f"thresholds not in (0, 1): {(tuple(thresholds),)}.")
    return tuple(thresholds or ())


class _ClassHead(Head):
    """Classes that may have names: labels are then strings of the vocabulary."""

    def __init__(self, classes: int, logits_dimension: int, label_vocabulary=None, **options) -> None:
        super().__init__(logits_dimension, **options)
        if label_vocabulary is not None and len(label_vocabulary) != classes:
            raise ValueError(f"label_vocabulary should have {classes} entries; given {label_vocabulary}")
        self.classes, self.vocabulary = classes, label_vocabulary

    def _ids(self, labels) -> Any:
        labels = _column(labels)
        if self.vocabulary is None:
            if labels.dtype is dtypes.string:
                raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
            return labels
        numbers = creation.range(self.classes, dtype=dtypes.int64)
        return StaticHashTable(KeyValueTensorInitializer(list(self.vocabulary), numbers), -1).lookup(labels)

    def _named(self, ids, probabilities, logits, **more) -> dict:
        names = convert_to_tensor(
            [str(n) for n in range(self.classes)] if self.vocabulary is None else list(self.vocabulary)
        )
        batch = arrange.shape(logits)[0]

        every_id = arrange.tile(arrange.expand_dims(creation.range(self.classes), 0), arrange.stack([batch, 1]))
        every_name = arrange.tile(arrange.expand_dims(names, 0), arrange.stack([batch, 1]))
        classes = elementwise.as_string(ids) if self.vocabulary is None else gather(names, ids)
        return {
            "logits": logits, **more, "probabilities": probabilities, "class_ids": ids, "classes": classes,
            "all_class_ids": every_id, "all_classes": every_name,
        }

    def outputs(self, predictions):
        classes = ClassificationOutput(predictions["probabilities"], predictions["all_classes"])
        return {"serving_default": classes, "classification": classes, "predict": PredictOutput(predictions)}


@export("estimator.BinaryClassHead", "compat.v1.estimator.BinaryClassHead")
class BinaryClassHead(_ClassHead):
    """Binary classification with one logit; each of `thresholds` adds an accuracy, a precision and a recall.

    >>> tf.estimator.BinaryClassHead().logits_dimension
    1
    """

    def __init__(
        self, weight_column=None, thresholds=None, label_vocabulary=None, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn=None, name=None,
    ) -> None:
        options = {"weight_column": weight_column, "loss_reduction": loss_reduction, "loss_fn": loss_fn, "name": name}
        super().__init__(2, 1, label_vocabulary, **options)
        self.thresholds = _checked_thresholds(thresholds)

    def labels(self, labels):
        return arithmetic.cast(self._ids(labels), dtypes.float32)

    def losses(self, labels, logits):
        return nn_losses.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def predictions(self, logits):
        logistic = unary.sigmoid(logits)
        two = arrange.concat([creation.zeros_like(logits), logits], -1)
        ids = arrange.expand_dims(reduce.argmax(two, -1), -1)
        return self._named(ids, activations.softmax(two), logits, logistic=logistic)

    def metrics(self, labels, predictions, losses, weights):
        logistic, ids = predictions["logistic"], arithmetic.cast(predictions["class_ids"], dtypes.float32)
        label_mean = means.mean(labels, weights)
        return at_thresholds(self.thresholds, labels, logistic, weights) | {
            "average_loss": means.mean(losses, weights),
            "accuracy": means.accuracy(labels, ids, weights),
            "precision": counts.precision(labels, ids, weights),
            "recall": counts.recall(labels, ids, weights),
            "prediction/mean": means.mean(logistic, weights),
            "label/mean": label_mean,
            "accuracy_baseline": (arithmetic.maximum(label_mean[0], 1 - label_mean[0]), label_mean[1]),
            "auc": counts.auc(labels, logistic, weights),
            "auc_precision_recall": counts.auc(
                labels, logistic, weights, curve="PR", summation_method="careful_interpolation"
            ),
        }

    def outputs(self, predictions):
        return super().outputs(predictions) | {"regression": RegressionOutput(predictions["logistic"])}


@export("estimator.MultiClassHead", "compat.v1.estimator.MultiClassHead")
class MultiClassHead(_ClassHead):
    """More than two classes: a logit for each.

    >>> tf.estimator.MultiClassHead(n_classes=3).logits_dimension
    3
    """

    def __init__(
        self, n_classes: int, weight_column=None, label_vocabulary=None, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn=None, name=None,
    ) -> None:
        if n_classes is None or n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        options = {"weight_column": weight_column, "loss_reduction": loss_reduction, "loss_fn": loss_fn, "name": name}
        super().__init__(n_classes, n_classes, label_vocabulary, **options)

    def labels(self, labels):
        return arithmetic.cast(self._ids(labels), dtypes.int64)

    def losses(self, labels, logits):
        each = nn_losses.sparse_softmax_cross_entropy_with_logits(labels=arrange.squeeze(labels, -1), logits=logits)
        return arrange.expand_dims(each, -1)

    def predictions(self, logits):
        ids = arrange.expand_dims(reduce.argmax(logits, -1), -1)
        return self._named(ids, activations.softmax(logits), logits)

    def metrics(self, labels, predictions, losses, weights):
        return {
            "average_loss": means.mean(losses, weights),
            "accuracy": means.accuracy(labels, predictions["class_ids"], weights),
        }


@export("estimator.RegressionHead", "compat.v1.estimator.RegressionHead")
class RegressionHead(Head):
    """Numbers, by the square of the error. Predictions are `inverse_link_fn(logits)`.

    >>> tf.estimator.RegressionHead(label_dimension=2).logits_dimension
    2
    """

    def __init__(
        self, label_dimension: int = 1, weight_column=None, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE, loss_fn=None,
        inverse_link_fn=None, name=None,
    ) -> None:
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        super().__init__(label_dimension, weight_column, loss_reduction, loss_fn, name)
        self._link = inverse_link_fn

    def labels(self, labels):
        return arithmetic.cast(_column(labels), dtypes.float32)

    def losses(self, labels, logits):
        return arithmetic.squared_difference(labels, logits)

    def predictions(self, logits):
        return {"predictions": logits} if self._link is None else {"predictions": self._link(logits), "logits": logits}

    def metrics(self, labels, predictions, losses, weights):
        return {
            "average_loss": means.mean(losses, weights),
            "prediction/mean": means.mean(predictions["predictions"], weights),
            "label/mean": means.mean(labels, weights),
        }

    def outputs(self, predictions):
        numbers = RegressionOutput(predictions["predictions"])
        return {"serving_default": numbers, "regression": numbers, "predict": PredictOutput(predictions)}


def class_head(n_classes, weight_column, label_vocabulary, loss_reduction) -> Head:
    """The head of a classifier."""
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
