"""Small things of `tf.contrib.learn`: names of modes, predictions and metrics, what model functions return,
and metrics of a model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from reflow.estimator.spec import EstimatorSpec


class ModeKeys:
    """For what a model function is called."""

    TRAIN, EVAL, INFER = "train", "eval", "infer"


class PredictionKey:
    """Names of predictions."""

    CLASSES, PROBABILITIES, LOGITS, LOGISTIC, SCORES, TOP_K, GENERIC = (
        "classes", "probabilities", "logits", "logistic", "scores", "top_k", "output",
    )  # fmt: skip


class MetricKey:
    """Names of metrics."""

    LOSS, AUC, AUC_PR, ACCURACY = "loss", "auc", "auc_precision_recall", "accuracy"
    PREDICTION_MEAN, LABEL_MEAN, ACCURACY_BASELINE = (
        "labels/prediction_mean", "labels/actual_label_mean", "accuracy/baseline_label_mean"
    )
    ACCURACY_MEAN, PRECISION_MEAN, RECALL_MEAN = (
        "accuracy/threshold_%f_mean", "precision/positive_threshold_%f_mean", "recall/positive_threshold_%f_mean",
    )  # fmt: skip


class ProblemType:
    """What a model predicts."""

    UNSPECIFIED, CLASSIFICATION, LINEAR_REGRESSION, LOGISTIC_REGRESSION = 0, 1, 2, 3


class TaskType:
    """The role of a machine in a cluster."""

    MASTER, PS, WORKER = "master", "ps", "worker"


class ModelFnOps:
    """What a model function returns: predictions, a loss, an operation that trains,
    and metrics as pairs of a value and an update."""

    def __init__(
        self, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, output_alternatives=None,
        training_chief_hooks=None, training_hooks=None, scaffold=None,
    ) -> None:
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode != ModeKeys.INFER and loss is None:
            raise ValueError("Missing loss.")
        if predictions is None and mode != ModeKeys.TRAIN:
            raise ValueError("Missing predictions.")
        self.mode, self.predictions, self.loss, self.train_op = mode, predictions, loss, train_op
        self.eval_metric_ops, self.output_alternatives = dict(eval_metric_ops or {}), output_alternatives
        self.training_chief_hooks, self.training_hooks, self.scaffold = training_chief_hooks, training_hooks, scaffold

    def estimator_spec(self, default_serving_output_alternative_key=None, metrics: dict | None = None) -> EstimatorSpec:
        """The same as an `EstimatorSpec`, with more metrics."""
        return EstimatorSpec(
            self.mode, self.predictions, self.loss, self.train_op, self.eval_metric_ops | (metrics or {}), None,
            self.training_chief_hooks, self.training_hooks, self.scaffold,
        )


class MetricSpec:
    """A metric of a model: a function of predictions and labels, and which of them it takes where there are several."""

    def __init__(self, metric_fn: Callable, prediction_key=None, label_key=None, weight_key=None) -> None:
        self._metric_fn = metric_fn
        self._prediction_key, self._label_key, self._weight_key = prediction_key, label_key, weight_key

    metric_fn = property(lambda self: self._metric_fn)
    prediction_key = property(lambda self: self._prediction_key)
    label_key = property(lambda self: self._label_key)
    weight_key = property(lambda self: self._weight_key)

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """The metric of a graph."""
        prediction = _chosen("predictions", predictions, self._prediction_key)
        label = _chosen("labels", labels, self._label_key)
        given = {} if self._weight_key is None else {"weights": inputs[self._weight_key]}
        names = list(inspect.signature(self._metric_fn).parameters)
        spelled = {"labels": next((n for n in ("labels", "label", "targets") if n in names), None),
                   "predictions": next((n for n in ("predictions", "prediction") if n in names), None)}  # fmt: skip
        if all(spelled.values()):
            return self._metric_fn(**{str(spelled["labels"]): label, str(spelled["predictions"]): prediction}, **given)
        return self._metric_fn(prediction, label, **given)

    def __repr__(self) -> str:
        return (
            f"MetricSpec(metric_fn={getattr(self._metric_fn, '__name__', self._metric_fn)}, "
            f"prediction_key={self._prediction_key})"
        )


def _chosen(what: str, values: Any, key: Any) -> Any:
    if not isinstance(values, Mapping):
        if key is not None:
            raise ValueError(f"MetricSpec with {what[:-1]}_key specified requires {what} dict, got {values}.")
        return values
    if key is not None:
        if key not in values:
            raise KeyError(f"{what} has no {key!r}; there are {sorted(values)}.")
        return values[key]
    if len(values) > 1:
        raise ValueError(
            f"MetricSpec without specified {what[:-1]}_key requires {what} tensor or single element "
            f"dict, got {sorted(values)}"
        )
    return next(iter(values.values()))


def metrics_of(specs: Mapping[Any, Any] | None, features: Any, labels: Any, predictions: Any) -> dict[str, Any]:
    """Metrics by name: of `MetricSpec`s, or of functions under a name, or a pair of a name and a prediction's."""
    found = {}
    for name, spec in (specs or {}).items():
        if not isinstance(spec, MetricSpec):
            name, key = name if isinstance(name, tuple) else (name, None)
            several = isinstance(predictions, Mapping) and key is None and len(predictions) > 1
            spec = MetricSpec(spec, PredictionKey.CLASSES if several and PredictionKey.CLASSES in predictions else key)
        found[name] = spec.create_metric_ops(features, labels, predictions)
    return found
