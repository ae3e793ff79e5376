"""Estimators of `tf.contrib.learn`: `fit`, `evaluate` and `predict` take arrays, or input functions.

Each has an estimator of `tf.estimator` inside, whose folder, checkpoints and events are its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from reflow.api.framework.core_names import placeholder
from reflow.core import nest
from reflow.core.specs import TensorSpec
from reflow.drop_in.contrib.learn.feeding import arrays_input_fn
from reflow.drop_in.contrib.learn.keys import ModeKeys, ModelFnOps, metrics_of
from reflow.drop_in.contrib.learn.monitors import as_hooks
from reflow.estimator.estimator import Estimator as Core
from reflow.estimator.spec import EstimatorSpec


class BaseEstimator:
    """Base of the estimators. `_core` is the `tf.estimator.Estimator` that does the work."""

    _core: Core
    _metrics: Mapping[Any, Any] | None = None
    _label_specs: Any = None

    model_dir = property(lambda self: self._core.model_dir)
    config = property(lambda self: self._core.config)
    params = property(lambda self: self._core.params)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(params={self.params})"

    def get_params(self, deep=True) -> dict:
        """The arguments of this estimator that are its attributes, as scikit-learn asks for them."""
        names = [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]
        return {name: getattr(self, name, None) for name in names}

    def set_params(self, **params: Any) -> BaseEstimator:
        """Change attributes, as scikit-learn does."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"Invalid parameter {name} for estimator {type(self).__name__}")
            setattr(self, name, value)
        return self

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the latest checkpoint."""
        return self._core.get_variable_names()

    def get_variable_value(self, name: str) -> np.ndarray:
        """The value of a variable in the latest checkpoint."""
        return self._core.get_variable_value(name)

    # --- training

    def fit(
        self, x=None, y=None, input_fn=None, steps=None, batch_size=None, monitors=None, max_steps=None
    ) -> BaseEstimator:
        """Train for `steps` steps more, or up to `max_steps` in all, or until the inputs end.

        `monitors` may be hooks.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        function = self._noted(arrays_input_fn(x, y, input_fn, batch_size, training=True))
        self._core.train(function, as_hooks(monitors, self, steps or max_steps), steps, max_steps)
        return self

    def partial_fit(self, x=None, y=None, input_fn=None, steps=1, batch_size=None, monitors=None) -> BaseEstimator:
        """`fit`, for one step unless told otherwise."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def _noted(self, input_fn: Callable) -> Callable:
        """An input function of which the kind of labels is remembered.

        Model functions get placeholders for them in predictions.
        """

        def run():
            found = input_fn()
            labels = found[1] if isinstance(found, tuple) and len(found) == 2 else None
            if labels is not None:
                self._label_specs = nest.map_structure(lambda t: TensorSpec(t.shape, t.dtype), labels)
            return found

        return run

    # --- evaluation and prediction

    def evaluate(
        self, x=None, y=None, input_fn=None, feed_fn=None, batch_size=None, steps=None, metrics=None, name=None,
        checkpoint_path=None, hooks=None, log_progress=True,
    ) -> dict:
        """The metrics of the model: its own, and those of `metrics` (`MetricSpec`s or functions, by name)."""
        if feed_fn is not None:
            raise ValueError("evaluate: feed_fn is not supported; give an input_fn.")
        function = self._noted(arrays_input_fn(x, y, input_fn, batch_size, training=False))
        self._metrics = metrics
        try:
            return self._renamed_metrics(self._core.evaluate(function, steps, hooks, checkpoint_path, name))
        finally:
            self._metrics = None

    def _renamed_metrics(self, values: dict) -> dict:
        return values

    def _infer(self, x, input_fn, batch_size, outputs, hooks=None) -> Iterator[Any]:
        """Predictions, batch by batch."""
        function = arrays_input_fn(x, None, input_fn, batch_size, training=False)
        return self._core.predict(function, outputs, hooks, yield_single_examples=False)

    def _named(self, batch: Any) -> Any:
        """A batch of predictions, under the names that contrib used."""
        return batch

    def predict(
        self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True, iterate_batches=False
    ) -> Any:
        """Predictions for examples: one by one, batch by batch, or all in one array."""
        batches = map(self._named, self._infer(x, input_fn, batch_size, outputs))
        if not as_iterable:
            return joined(list(batches))
        return batches if iterate_batches else one_by_one(batches)

    def export_savedmodel(
        self, export_dir_base, serving_input_fn, default_output_alternative_key=None, assets_extra=None, as_text=False,
        checkpoint_path=None,
    ) -> bytes:
        """Write a SavedModel; `serving_input_fn` gives a `ServingInputReceiver` or an `InputFnOps`."""
        return self._core.export_saved_model(
            export_dir_base, lambda: _receiver(serving_input_fn()), assets_extra, as_text, checkpoint_path
        )


def _receiver(given: Any) -> Any:
    if hasattr(given, "receiver_tensors"):
        return given
    from reflow.estimator.exporting import ServingInputReceiver

    features, _, inputs = given
    return ServingInputReceiver(features, inputs)


def joined(batches: list) -> Any:
    """Batches of predictions as one."""
    if batches and isinstance(batches[0], dict):
        return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}
    return np.concatenate(batches)


def one_by_one(batches: Iterator[Any]) -> Iterator[Any]:
    """The predictions of batches for each example."""
    for batch in batches:
        if isinstance(batch, dict):
            for i in range(len(next(iter(batch.values())))):
                yield {name: values[i] for name, values in batch.items()}
        else:
            yield from batch


class Estimator(BaseEstimator):
    """An estimator of the user's model.

    `model_fn(features, labels, mode, params, config)`, of which the last three may be missing, returns `ModelFnOps` or
    a triple of predictions, loss and the operation that trains. `feature_engineering_fn` changes features and labels
    before.
    """

    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, feature_engineering_fn=None) -> None:
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        names = list(inspect.signature(model_fn).parameters)
        if params is not None and "params" not in names:
            raise ValueError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params ({params}) were passed."
            )
        self._fn, self._names, self._engineer = model_fn, names, feature_engineering_fn
        self._core = Core(self._model, model_dir, config, params or {})

    def _model(self, features, labels, mode, params, config) -> EstimatorSpec:
        if labels is None and self._label_specs is not None:
            labels = nest.map_structure(lambda spec: placeholder(spec.dtype, spec.shape), self._label_specs)
        if self._engineer is not None:
            features, labels = self._engineer(features, labels)
        offered = {"mode": mode, "params": params, "config": config, "model_dir": self.model_dir}
        found = self._fn(
            features, labels, **{name: value for name, value in offered.items() if name in self._names[2:]}
        )
        if isinstance(found, EstimatorSpec):
            return found
        if isinstance(found, tuple):
            if len(found) != 3:
                raise ValueError("Unrecognized value returned by model_fn, please return ModelFnOps.")
            predictions, loss, train_op = found
            found = ModelFnOps(mode, predictions, loss, train_op)
        extra = metrics_of(self._metrics, features, labels, found.predictions) if mode == ModeKeys.EVAL else {}
        return found.estimator_spec(metrics=extra)


class SKCompat:
    """An estimator as scikit-learn wants it: `fit(x, y)`, `score(x, y)`, and `predict(x)` that gives arrays."""

    def __init__(self, estimator: BaseEstimator) -> None:
        self._estimator = estimator

    def fit(self, x, y, batch_size=128, steps=None, max_steps=None, monitors=None) -> SKCompat:
        """Trains the estimator."""
        self._estimator.fit(x, y, None, steps, batch_size, monitors, max_steps)
        return self

    def score(self, x, y, batch_size=128, steps=None, metrics=None, name=None) -> dict:
        """The metrics of the model."""
        return self._estimator.evaluate(x, y, batch_size=batch_size, steps=steps, metrics=metrics, name=name)

    def predict(self, x, batch_size=128, outputs=None) -> Any:
        """The predictions for all examples: an array, or a dictionary of arrays."""
        return joined([self._estimator._named(batch) for batch in self._estimator._infer(x, None, batch_size, outputs)])
