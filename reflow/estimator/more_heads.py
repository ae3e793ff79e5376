"""More heads: multiple labels, counts, probabilities, and several heads on one model."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.array.creation import one_hot
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce, segment, unary
from reflow.api.nn import losses as nn_losses
from reflow.compat.losses import Reduction
from reflow.compat.metrics import counts, means
from reflow.compat.saved_model.export_outputs import ClassificationOutput, PredictOutput
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.estimator.heads import Head, RegressionHead, _checked_thresholds, at_thresholds
from reflow.estimator.spec import EstimatorSpec
from reflow.ops.convert import convert_to_tensor


@export("estimator.MultiLabelHead", "compat.v1.estimator.MultiLabelHead")
class MultiLabelHead(Head):
    """Multi-label classification: a logit for each of `n_classes` classes, and the mean of their losses.

    Labels are rows of zeros and ones, or a sparse tensor of the ids of classes.

    >>> tf.estimator.MultiLabelHead(n_classes=4).logits_dimension
    4
    """

    def __init__(
        self, n_classes, weight_column=None, thresholds=None, label_vocabulary=None,
        loss_reduction=Reduction.SUM_OVER_BATCH_SIZE, loss_fn=None, classes_for_class_based_metrics=None, name=None,
    ) -> None:
        if n_classes is None or n_classes < 2:
            raise ValueError(f"n_classes must be > 1 for multi-label classification. Given: {n_classes}")
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(
                f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(label_vocabulary)}"
            )
        super().__init__(n_classes, weight_column, loss_reduction, loss_fn, name)
        self.thresholds, self.vocabulary = _checked_thresholds(thresholds), label_vocabulary
        self._shown = list(classes_for_class_based_metrics or ())
        if self._shown and isinstance(self._shown[0], str):
            self._shown = [list(label_vocabulary or ()).index(word) for word in self._shown]

    def labels(self, labels):
        if isinstance(labels, SparseTensor):
            marks = one_hot(labels.values, self.logits_dimension, dtype=dtypes.float32)
            rows = arithmetic.cast(labels.indices[:, 0], dtypes.int64)
            return arithmetic.maximum(segment.unsorted_segment_max(marks, rows, labels.dense_shape[0]), 0.0)
        return arithmetic.cast(convert_to_tensor(labels), dtypes.float32)

    def losses(self, labels, logits):
        each = nn_losses.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return reduce.reduce_mean(each, axis=-1, keepdims=True)

    def predictions(self, logits):
        return {"logits": logits, "probabilities": unary.sigmoid(logits)}

    def metrics(self, labels, predictions, losses, weights):
        chances = predictions["probabilities"]
        found = {
            "average_loss": means.mean(losses, weights),
            "auc": counts.auc(labels, chances, weights),
            "auc_precision_recall": counts.auc(
                labels, chances, weights, curve="PR", summation_method="careful_interpolation"
            ),
        }
        found |= at_thresholds(self.thresholds, labels, chances, weights)
        for number in self._shown:
            key = self.vocabulary[number] if self.vocabulary is not None else f"class{number}"
            found[f"probability_mean/{key}"] = means.mean(chances[:, number : number + 1], weights)
            found[f"auc/{key}"] = counts.auc(labels[:, number : number + 1], chances[:, number : number + 1], weights)
        return found

    def outputs(self, predictions):
        words = [str(n) for n in range(self.logits_dimension)] if self.vocabulary is None else list(self.vocabulary)
        batch = arrange.shape(predictions["probabilities"])[0]
        every = arrange.tile(arrange.expand_dims(convert_to_tensor(words), 0), arrange.stack([batch, 1]))
        classes = ClassificationOutput(predictions["probabilities"], every)
        return {"serving_default": classes, "classification": classes, "predict": PredictOutput(predictions)}


@export("estimator.PoissonRegressionHead", "compat.v1.estimator.PoissonRegressionHead")
class PoissonRegressionHead(RegressionHead):
    """Counts: the logarithm of their mean is the logit.

    >>> tf.estimator.PoissonRegressionHead().logits_dimension
    1
    """

    def __init__(
        self, label_dimension=1, weight_column=None, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
        compute_full_loss=True, name=None,
    ) -> None:
        def loss_fn(labels: Any, logits: Any) -> Any:
            return nn_losses.log_poisson_loss(labels, logits, compute_full_loss=compute_full_loss)

        super().__init__(label_dimension, weight_column, loss_reduction, loss_fn, unary.exp, name)


@export("estimator.LogisticRegressionHead", "compat.v1.estimator.LogisticRegressionHead")
class LogisticRegressionHead(RegressionHead):
    """Regression of numbers between 0 and 1, by the cross entropy.

    >>> tf.estimator.LogisticRegressionHead().logits_dimension
    1
    """

    def __init__(self, weight_column=None, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE, name=None) -> None:
        def loss_fn(labels: Any, logits: Any) -> Any:
            return nn_losses.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

        super().__init__(1, weight_column, loss_reduction, loss_fn, unary.sigmoid, name)


@export("estimator.MultiHead", "compat.v1.estimator.MultiHead")
class MultiHead(Head):
    """Several heads, each with a name, on one model; `head_weights` weight their losses.

    Logits and labels are dictionaries by the names of heads; logits may also be one tensor, of which each head takes
    its part.

    >>> heads = [tf.estimator.RegressionHead(name="a"), tf.estimator.BinaryClassHead(name="b")]
    >>> tf.estimator.MultiHead(heads).logits_dimension
    2
    """

    def __init__(self, heads, head_weights=None) -> None:
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(f"heads and head_weights must have the same size. Given len(heads): {len(heads)}. "
                             f"Given len(head_weights): {len(head_weights)}.")
        for head in heads:
            if head.name is None:
                raise ValueError(f"All given heads must have name specified. Given: {head}")
        super().__init__(sum(head.logits_dimension for head in heads), name="_".join(head.name for head in heads))
        self._heads, self._head_weights = tuple(heads), tuple(head_weights) if head_weights else (1.0,) * len(heads)

    def _parts(self, logits) -> dict:
        if isinstance(logits, dict):
            missing = [head.name for head in self._heads if head.name not in logits]
            if missing:
                raise ValueError(f"logits has missing values for head(s): {missing}")
            return logits
        sizes = [head.logits_dimension for head in self._heads]
        pieces = arrange.split(convert_to_tensor(logits), sizes, axis=-1)
        return {head.name: piece for head, piece in zip(self._heads, pieces, strict=True)}

    def predictions(self, logits):
        parts = self._parts(logits)
        return {
            (head.name, key): value for head in self._heads for key, value in head.predictions(parts[head.name]).items()
        }

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        parts = self._parts(logits)
        losses = [
            head.loss(labels[head.name], parts[head.name], features) * weight
            for head, weight in zip(self._heads, self._head_weights, strict=True)
        ]
        return arithmetic.add_n([*losses, *(regularization_losses or ())])

    def all_metrics(self, features, labels, logits, predictions):
        parts = self._parts(logits)
        found: dict[str, Any] = {}
        for head in self._heads:
            own = {key: value for (name, key), value in predictions.items() if name == head.name}
            found |= {f"loss/{head.name}": means.mean(head.loss(labels[head.name], parts[head.name], features))}
            found |= head.all_metrics(features, labels[head.name], parts[head.name], own)
        return found

    def create_estimator_spec(
        self, features, mode, logits, labels=None, optimizer=None, trainable_variables=None, train_op_fn=None,
        update_ops=None, regularization_losses=None,
    ) -> EstimatorSpec:
        rest = labels, optimizer, trainable_variables, train_op_fn, update_ops, regularization_losses
        return super().create_estimator_spec(features, mode, self._parts(logits), *rest)

    def outputs(self, predictions) -> dict:
        found: dict[str, Any] = {}
        for i, head in enumerate(self._heads):
            own = {key: value for (name, key), value in predictions.items() if name == head.name}
            for signature, output in head.outputs(own).items():
                if signature == "serving_default":
                    if i == 0:
                        found[signature] = output
                else:
                    found[f"{signature}/{head.name}"] = output
        return found
