"""Heads: what a canned model does with its outputs (*logits*): the loss, predictions and metrics of classes or of numbers."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.nn import activations
from reflow.api.nn import losses as nn_losses
from reflow.api.strings import elementwise
from reflow.compat import losses as v1_losses
from reflow.compat.metrics import counts, means
from reflow.compat.saved_model.export_outputs import ClassificationOutput, PredictOutput, RegressionOutput
from reflow.core import dtypes
from reflow.estimator.spec import EstimatorSpec, ModeKeys
from reflow.lookup.public import KeyValueTensorInitializer, StaticHashTable
from reflow.ops.convert import convert_to_tensor

Reduction = v1_losses.Reduction


class Head:
    """Turns logits into an `EstimatorSpec`."""

    def __init__(self, logits_dimension: int, weight_column=None, loss_reduction=Reduction.SUM) -> None:
        self.logits_dimension, self.weight_column, self.loss_reduction = logits_dimension, weight_column, loss_reduction

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

    def create_estimator_spec(self, features, mode, logits, labels=None, train_op_fn=None) -> EstimatorSpec:
        """What a model function returns; `train_op_fn(loss)` gives the operation that trains."""
        predictions = self.predictions(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=self.outputs(predictions))
        if labels is None:
            raise ValueError("You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your data contain "
                             "your label feature. Check that your input_fn properly parses and returns labels.")
        labels, weights = self.labels(labels), self._weights(features)
        losses = self.losses(labels, logits)
        loss = v1_losses.compute_weighted_loss(losses, 1.0 if weights is None else weights, reduction=self.loss_reduction)
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(mode, predictions, loss, eval_metric_ops=self.metrics(labels, predictions, losses, weights))
        return EstimatorSpec(mode, predictions, loss, train_op_fn(loss))

    def _weights(self, features) -> Any:
        if self.weight_column is None:
            return None
        key = getattr(self.weight_column, "key", self.weight_column)
        weights = arithmetic.cast(features[key], dtypes.float32)
        normalizer = getattr(self.weight_column, "normalizer_fn", None)
        weights = weights if normalizer is None else normalizer(weights)
        return arrange.expand_dims(weights, -1) if weights.shape.rank == 1 else weights


def _column(labels) -> Any:
    """Labels as a column: [batch size, 1]."""
    labels = convert_to_tensor(labels)
    return arrange.expand_dims(labels, -1) if labels.shape.rank == 1 else labels


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
        names = convert_to_tensor([str(n) for n in range(self.classes)] if self.vocabulary is None else list(self.vocabulary))
        batch = arrange.shape(logits)[0]
        from reflow.api.array.indexing import gather

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


class BinaryClassHead(_ClassHead):
    """Two classes: one logit."""

    def __init__(self, weight_column=None, label_vocabulary=None, loss_reduction=Reduction.SUM) -> None:
        super().__init__(2, 1, label_vocabulary, weight_column=weight_column, loss_reduction=loss_reduction)

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
        return {
            "average_loss": means.mean(losses, weights),
            "accuracy": means.accuracy(labels, ids, weights),
            "precision": counts.precision(labels, ids, weights),
            "recall": counts.recall(labels, ids, weights),
            "prediction/mean": means.mean(logistic, weights),
            "label/mean": label_mean,
            "accuracy_baseline": (arithmetic.maximum(label_mean[0], 1 - label_mean[0]), label_mean[1]),
            "auc": counts.auc(labels, logistic, weights),
            "auc_precision_recall": counts.auc(labels, logistic, weights, curve="PR", summation_method="careful_interpolation"),
        }

    def outputs(self, predictions):
        return super().outputs(predictions) | {"regression": RegressionOutput(predictions["logistic"])}


class MultiClassHead(_ClassHead):
    """More than two classes: a logit for each."""

    def __init__(self, n_classes: int, weight_column=None, label_vocabulary=None, loss_reduction=Reduction.SUM) -> None:
        if n_classes is None or n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        super().__init__(n_classes, n_classes, label_vocabulary, weight_column=weight_column, loss_reduction=loss_reduction)

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


class RegressionHead(Head):
    """Numbers, by the square of the error."""

    def __init__(self, label_dimension: int = 1, weight_column=None, loss_reduction=Reduction.SUM) -> None:
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        super().__init__(label_dimension, weight_column, loss_reduction)

    def labels(self, labels):
        return arithmetic.cast(_column(labels), dtypes.float32)

    def losses(self, labels, logits):
        return arithmetic.squared_difference(labels, logits)

    def predictions(self, logits):
        return {"predictions": logits}

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
        return BinaryClassHead(weight_column, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
