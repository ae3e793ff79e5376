"""Canned estimators of `tf.contrib.learn`: those of `tf.estimator` with the loss as a mean over the batch, Adagrad and
Ftrl as optimizers, and older names of arguments, predictions and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.array import arrange
from reflow.api.math import clip
from reflow.api.nn import activations
from reflow.compat.losses import Reduction
from reflow.compat.train import optimizers
from reflow.drop_in.contrib.learn.estimators import BaseEstimator
from reflow.drop_in.contrib.learn.keys import MetricKey, ModeKeys, PredictionKey, metrics_of
from reflow.estimator import canned
from reflow.estimator.optimizers import optimizer_of

#: names of metrics today -> then
_METRICS = {
    "prediction/mean": MetricKey.PREDICTION_MEAN, "label/mean": MetricKey.LABEL_MEAN,
    "precision": MetricKey.PRECISION_MEAN % 0.5, "recall": MetricKey.RECALL_MEAN % 0.5,
}  # fmt: skip
_RATE = 0.05


class _Clipped(optimizers.Optimizer):
    """Another optimizer, for gradients of which the global norm has a limit."""

    def __init__(self, inner: optimizers.Optimizer, limit: float) -> None:
        super().__init__(False, inner.get_name())
        self._inner, self._limit = inner, limit

    def compute_gradients(self, *args, **kwargs):
        return self._inner.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        clipped, _ = clip.clip_by_global_norm([g for g, _ in pairs], self._limit)
        return self._inner.apply_gradients(list(zip(clipped, [v for _, v in pairs], strict=True)), global_step, name)


def _optimizer(given: Any, default: str, rate: float, limit: float | None) -> Callable[[], Any]:
    """A function that makes the optimizer in the graph that is trained."""

    def make():
        chosen = default if given is None else given
        made = optimizer_of(chosen, rate)
        return made if limit is None else _Clipped(made, limit)

    return make


class _Canned(BaseEstimator):
    """What canned estimators share. `_KEY` is the prediction that `predict` gives."""

    _KEY: str

    def _start(
        self, core: Any, feature_engineering_fn: Callable | None, enable_centered_bias: bool,
        embedding_lr_multipliers: Any = None,
    ) -> None:
        if enable_centered_bias or embedding_lr_multipliers:
            raise ValueError(
                "enable_centered_bias and embedding_lr_multipliers are not supported; tf.estimator has neither."
            )
        self._core = core
        inner = core._model_fn

        def model(features, labels, mode, config):
            features = features if isinstance(features, dict) else {"": features}
            if feature_engineering_fn is not None:
                features, labels = feature_engineering_fn(features, labels)
            spec = inner(features, labels, mode, config)
            predictions = self._renamed_predictions(spec.predictions)
            extra = metrics_of(self._metrics, features, labels, predictions) if mode == ModeKeys.EVAL else {}
            kept = {k: v for k, v in spec.eval_metric_ops.items() if k != "average_loss"}
            return spec._replace(predictions=predictions, eval_metric_ops=kept | extra)

        core._model_fn = model

    def _renamed_predictions(self, predictions: dict) -> dict:
        raise NotImplementedError

    def _renamed_metrics(self, values: dict) -> dict:
        baseline = {MetricKey.ACCURACY_BASELINE: values["label/mean"]} if "accuracy_baseline" in values else {}
        same = {MetricKey.ACCURACY_MEAN % 0.5: values["accuracy"]} if baseline else {}
        return {_METRICS.get(k, k): v for k, v in values.items() if k != "accuracy_baseline"} | baseline | same

    def predict(self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True, iterate_batches=False):
        """The classes or numbers of examples; with `outputs`, dictionaries of these predictions."""
        if outputs:
            return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)
        return self._chosen(self._KEY, x, input_fn, batch_size, as_iterable)

    def _chosen(self, key: str, x, input_fn, batch_size, as_iterable) -> Any:
        found = BaseEstimator.predict(self, x, input_fn, batch_size, [key], as_iterable)
        return (row[key] for row in found) if as_iterable else found[key]


class _Classifier(_Canned):
    _KEY = PredictionKey.CLASSES

    def _renamed_predictions(self, predictions):
        kept = {name: predictions[name] for name in ("probabilities", "logits", "logistic") if name in predictions}
        return {PredictionKey.CLASSES: arrange.squeeze(predictions["class_ids"], [-1])} | kept

    def predict_classes(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """The classes of examples."""
        return self._chosen(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """The probabilities of all classes."""
        return self._chosen(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class _Regressor(_Canned):
    _KEY = PredictionKey.SCORES

    def _renamed_predictions(self, predictions):
        numbers = predictions["predictions"]
        return {PredictionKey.SCORES: arrange.squeeze(numbers, [-1]) if numbers.shape[-1] == 1 else numbers}

    def predict_scores(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """The numbers of examples."""
        return self._chosen(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)


_MEAN = Reduction.SUM_OVER_BATCH_SIZE


def _linear_rate(columns: Any, most: float = 0.2) -> float:
    return min(most, 1.0 / np.sqrt(max(len(list(columns)), 1)))


class LinearClassifier(_Classifier):
    """Classes by a linear model."""

    def __init__(
        self, feature_columns, model_dir=None, n_classes=2, weight_column_name=None, optimizer=None,
        gradient_clip_norm=None, enable_centered_bias=False, _joint_weight=False, config=None,
        feature_engineering_fn=None, label_keys=None,
    ) -> None:
        made = _optimizer(optimizer, "Ftrl", _linear_rate(feature_columns), gradient_clip_norm)
        core = canned.LinearClassifier(
            feature_columns, model_dir, n_classes, weight_column_name, label_keys, made, config, loss_reduction=_MEAN
        )
        self._start(core, feature_engineering_fn, enable_centered_bias)

    weights_ = property(
        lambda self: {n: self.get_variable_value(n) for n in self.get_variable_names() if n.endswith("/weights")}
    )
    bias_ = property(lambda self: self.get_variable_value("linear/linear_model/bias_weights"))


class LinearRegressor(_Regressor):
    """Numbers by a linear model."""

    def __init__(
        self, feature_columns, model_dir=None, weight_column_name=None, optimizer=None, gradient_clip_norm=None,
        enable_centered_bias=False, label_dimension=1, _joint_weights=False, config=None, feature_engineering_fn=None,
    ) -> None:
        made = _optimizer(optimizer, "Ftrl", _linear_rate(feature_columns), gradient_clip_norm)
        core = canned.LinearRegressor(
            feature_columns, model_dir, label_dimension, weight_column_name, made, config, loss_reduction=_MEAN
        )
        self._start(core, feature_engineering_fn, enable_centered_bias)

    weights_ = LinearClassifier.weights_
    bias_ = LinearClassifier.bias_


class DNNClassifier(_Classifier):
    """Classes by a network with hidden layers of these sizes."""

    def __init__(
        self, hidden_units, feature_columns, model_dir=None, n_classes=2, weight_column_name=None, optimizer=None,
        activation_fn=activations.relu, dropout=None, gradient_clip_norm=None, enable_centered_bias=False, config=None,
        feature_engineering_fn=None, embedding_lr_multipliers=None, input_layer_min_slice_size=None, label_keys=None,
    ) -> None:
        made = _optimizer(optimizer, "Adagrad", _RATE, gradient_clip_norm)
        core = canned.DNNClassifier(
            hidden_units, feature_columns, model_dir, n_classes, weight_column_name, label_keys, made, activation_fn,
            dropout, config, loss_reduction=_MEAN,
        )
        self._start(core, feature_engineering_fn, enable_centered_bias, embedding_lr_multipliers)


class DNNRegressor(_Regressor):
    """Numbers by a network with hidden layers of these sizes."""

    def __init__(
        self, hidden_units, feature_columns, model_dir=None, weight_column_name=None, optimizer=None,
        activation_fn=activations.relu, dropout=None, gradient_clip_norm=None, enable_centered_bias=False, config=None,
        feature_engineering_fn=None, label_dimension=1, embedding_lr_multipliers=None, input_layer_min_slice_size=None,
    ) -> None:
        made = _optimizer(optimizer, "Adagrad", _RATE, gradient_clip_norm)
        core = canned.DNNRegressor(
            hidden_units, feature_columns, model_dir, label_dimension, weight_column_name, made, activation_fn, dropout,
            config, loss_reduction=_MEAN,
        )
        self._start(core, feature_engineering_fn, enable_centered_bias, embedding_lr_multipliers)


class DNNLinearCombinedClassifier(_Classifier):
    """Classes by the sum of a linear model and a network."""

    def __init__(
        self, model_dir=None, n_classes=2, weight_column_name=None, linear_feature_columns=None, linear_optimizer=None,
        _joint_linear_weights=False, dnn_feature_columns=None, dnn_optimizer=None, dnn_hidden_units=None,
        dnn_activation_fn=activations.relu, dnn_dropout=None, gradient_clip_norm=None, enable_centered_bias=False,
        config=None, feature_engineering_fn=None, embedding_lr_multipliers=None, input_layer_min_slice_size=None,
        label_keys=None, fix_global_step_increment_bug=False,
    ) -> None:
        wide, deep = _wide_and_deep(linear_optimizer, linear_feature_columns, dnn_optimizer, gradient_clip_norm)
        core = canned.DNNLinearCombinedClassifier(
            model_dir, linear_feature_columns, wide, dnn_feature_columns, deep, dnn_hidden_units, dnn_activation_fn,
            dnn_dropout, n_classes, weight_column_name, label_keys, config, loss_reduction=_MEAN,
        )
        self._start(core, feature_engineering_fn, enable_centered_bias, embedding_lr_multipliers)


class DNNLinearCombinedRegressor(_Regressor):
    """Numbers by the sum of a linear model and a network."""

    def __init__(
        self, model_dir=None, weight_column_name=None, linear_feature_columns=None, linear_optimizer=None,
        _joint_linear_weights=False, dnn_feature_columns=None, dnn_optimizer=None, dnn_hidden_units=None,
        dnn_activation_fn=activations.relu, dnn_dropout=None, gradient_clip_norm=None, enable_centered_bias=False,
        label_dimension=1, config=None, feature_engineering_fn=None, embedding_lr_multipliers=None,
        input_layer_min_slice_size=None, fix_global_step_increment_bug=False,
    ) -> None:
        wide, deep = _wide_and_deep(linear_optimizer, linear_feature_columns, dnn_optimizer, gradient_clip_norm)
        core = canned.DNNLinearCombinedRegressor(
            model_dir, linear_feature_columns, wide, dnn_feature_columns, deep, dnn_hidden_units, dnn_activation_fn,
            dnn_dropout, label_dimension, weight_column_name, config, loss_reduction=_MEAN,
        )
        self._start(core, feature_engineering_fn, enable_centered_bias, embedding_lr_multipliers)


def _wide_and_deep(
    linear_optimizer: Any, linear_columns: Any, dnn_optimizer: Any, clip: float | None
) -> tuple[Any, Any]:
    """The optimizers of the linear model and of the network."""
    wide = _optimizer(linear_optimizer, "Ftrl", _linear_rate(linear_columns or ()), clip)
    return wide, _optimizer(dnn_optimizer, "Adagrad", _RATE, clip)
