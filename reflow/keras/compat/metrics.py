"""Metrics: `reset_states`, names first in `add_weight`, functions of labels as numbers; `add_metric` of layers and
models; `compiled_loss` and `compiled_metrics` in a `train_step`."""

from __future__ import annotations

import sys

from reflow.api.array import arrange
from reflow.core.errors import InvalidArgumentError
from reflow.keras.compat.patching import on_subclass, wrap

_ADD_WEIGHT = ("name", "shape", "aggregation", "initializer", "dtype")
#: what Keras 2's metrics, which were layers, passed on and a metric has no use for
_GONE = ("synchronization", "aggregation", "trainable", "partitioner", "use_resource", "collections")


def install(keras) -> None:
    metric = keras.metrics.Metric
    metric.reset_states = lambda self: self.reset_state()
    metric.weights = property(lambda self: self.variables, doc="The variables.")
    metric.get_weights = lambda self: [v.numpy() for v in self.variables]
    metric.set_weights = _set_weights
    _overridden_resets(metric)
    _add_weight(metric)
    _numbers_for_functions(keras)
    _unknown_rank()
    _results_know_their_metric(metric)
    keras.layers.Layer.add_metric = _adder(keras)
    keras.Model.compiled_loss = property(_CompiledLoss)
    keras.Model.compiled_metrics = property(_CompiledMetrics)


def _set_weights(self, weights) -> None:
    for variable, value in zip(self.variables, weights, strict=True):
        variable.assign(value)


def _overridden_resets(metric) -> None:
    """A metric that defines `reset_states` only: Keras 3 calls `reset_state`."""

    def alias(cls):
        if "reset_states" in cls.__dict__ and "reset_state" not in cls.__dict__:
            cls.reset_state = cls.__dict__["reset_states"]

    on_subclass(metric, alias)


def _add_weight(metric) -> None:
    @wrap(metric, "add_weight")
    def add_weight(original, self, *args, **kwargs):
        if args and (isinstance(args[0], str) or args[0] is None):
            kwargs, args = dict(zip(_ADD_WEIGHT, args)) | kwargs, ()
        for name in _GONE:
            kwargs.pop(name, None)
        return original(self, *args, **kwargs)


def _numbers_for_functions(keras) -> None:
    """Keras 2 cast labels and predictions to the metric's dtype before it called a function on them; Keras 3 hands them
    on as they are. A function that fails on those gets numbers."""

    @wrap(keras.metrics.MeanMetricWrapper, "update_state")
    def update_state(original, self, y_true, y_pred, sample_weight=None):
        try:
            return original(self, y_true, y_pred, sample_weight)
        except (TypeError, InvalidArgumentError):
            cast = [keras.ops.cast(value, self.dtype) for value in (y_true, y_pred)]
            given = [getattr(value, "dtype", None) for value in (y_true, y_pred)]  # lists have none
            if all(dtype is not None and keras.backend.standardize_dtype(dtype) == self.dtype for dtype in given):
                raise
        return original(self, *cast, sample_weight)


def _unknown_rank() -> None:
    """A metric function may give a tensor of unknown rank, as `tf.py_function` does: its values count one by one."""
    module = sys.modules["keras.src.metrics.reduction_metrics"]
    reduce = module.reduce_to_samplewise_values

    def reduce_to_samplewise_values(values, *args, **kwargs):
        if getattr(getattr(values, "shape", None), "rank", 0) is None:
            values = arrange.reshape(values, [-1])
        return reduce(values, *args, **kwargs)

    vars(module)["reduce_to_samplewise_values"] = reduce_to_samplewise_values


def _results_know_their_metric(metric) -> None:
    """`add_metric(metric(values))` adds the metric, not another mean of its results."""

    @wrap(metric, "__call__")
    def call(original, self, *args, **kwargs):
        found = original(self, *args, **kwargs)
        if hasattr(found, "dtype"):
            found._metric_obj = self
        return found


def _adder(keras):
    def add_metric(self, value, name=None, aggregation=None, **kwargs):
        """Show a value's mean along with the model's metrics; in `call`, or on a tensor computed from a model's own."""
        owner = getattr(value, "_metric_obj", None)
        if owner is None and name is None:
            raise ValueError("Please provide a name for your metric like `self.add_metric(value, name='total')`")
        if owner is not None:
            if all(metric is not owner for metric in self.metrics):
                self._metrics.append(owner)
            return
        if isinstance(value, keras.KerasTensor):
            self._hold_symbolic(metric=(_mean(keras, self, name), value))
        else:
            _mean(keras, self, name).update_state(value)

    return add_metric


def _mean(keras, layer, name: str):
    """The layer's metric of this name, made when there is none."""
    for metric in layer._metrics:
        if metric.name == name:
            return metric
    metric = keras.metrics.Mean(name=name)
    layer._metrics.append(metric)
    return metric


class _CompiledLoss:
    """The loss given to `compile`, as a `train_step` of Keras 2 calls it."""

    def __init__(self, model):
        self.model = model

    def __call__(self, y_true, y_pred, sample_weight=None, regularization_losses=None):
        model = self.model
        loss = 0.0 if model._compile_loss is None else model._compile_loss(y_true, y_pred, sample_weight)
        if loss is None:
            loss = 0.0
        for part in regularization_losses or ():
            loss = loss + part
        model._loss_tracker.update_state(loss)
        return loss

    @property
    def metrics(self) -> list:
        """The metrics that show the mean losses."""
        inner = [] if self.model._compile_loss is None else self.model._compile_loss.metrics
        return [self.model._loss_tracker, *inner]


class _CompiledMetrics:
    """The metrics given to `compile`."""

    def __init__(self, model):
        self.model = model

    def update_state(self, y_true, y_pred, sample_weight=None) -> None:
        """Count a batch."""
        if self.model._compile_metrics is not None:
            self.model._compile_metrics.update_state(y_true, y_pred, sample_weight)

    def reset_state(self) -> None:
        """Starts over."""
        if self.model._compile_metrics is not None:
            self.model._compile_metrics.reset_state()

    reset_states = reset_state

    @property
    def metrics(self) -> list:
        """The metric objects."""
        return [] if self.model._compile_metrics is None else self.model._compile_metrics.metrics
