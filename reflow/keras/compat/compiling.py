"""`Model.compile`: Keras 2's order of arguments, and one loss or one list of metrics for several outputs."""

from __future__ import annotations

import numbers
import sys

from reflow.keras.compat.patching import wrap

#: arguments that controlled TensorFlow 1's graphs, or that Keras 3 handles automatically
_GONE = ("sample_weight_mode", "target_tensors", "experimental_run_tf_function", "pss_evaluation_shards", "distribute")


def install(keras) -> None:
    # of the base class: Keras asks whether a model's `compile` is that one
    @wrap(sys.modules["keras.src.trainers.trainer"].Trainer, "compile")
    def compile(original, self, *args, **kwargs):
        for name in _GONE:
            kwargs.pop(name, None)
        if len(args) > 2 and not _are_numbers(keras, args[2]):  # optimizer, loss, metrics, loss_weights
            args = (*args[:2], args[3] if len(args) > 3 else kwargs.pop("loss_weights", None), args[2], *args[4:])
        for name in ("metrics", "weighted_metrics"):
            if isinstance(kwargs.get(name), (str, keras.metrics.Metric)) or callable(kwargs.get(name)):
                kwargs[name] = [kwargs[name]]
        original(self, *args, **kwargs)
        self._when_compiled = _TrainableStates(self)

    _freezing(keras.Model)
    utils = sys.modules["keras.src.trainers.compile_utils"]
    _losses(keras, utils.CompileLoss)
    _metrics(keras, utils.CompileMetrics)


def _freezing(model) -> None:
    """What is trained was decided by `compile` in Keras 2: a discriminator that was frozen later, as a part of another
    model, still trains by itself. Here this holds for models that were frozen as a whole, on which training has no
    other meaning."""
    for name in ("fit", "train_on_batch"):

        @wrap(model, name)
        def train(original, self, *args, **kwargs):
            before = vars(self).get("_when_compiled")
            if self.trainable or before is None or not before.of_model:
                return original(self, *args, **kwargs)
            now = _TrainableStates(self)
            before.restore()
            try:
                return original(self, *args, **kwargs)
            finally:
                now.restore()


class _TrainableStates:
    """Which layers of a model are trainable. An object, as Keras would track and save the layers of a list."""

    def __init__(self, model):
        self.of_model = model.trainable
        self.states = [(layer, layer.trainable) for layer in model._flatten_layers()]

    def restore(self) -> None:
        for layer, trainable in self.states:  # outer layers first: each sets those inside
            layer.trainable = trainable


def _are_numbers(keras, given) -> bool:
    return all(isinstance(value, numbers.Number) for value in keras.tree.flatten(given))


def _losses(keras, compile_loss) -> None:
    @wrap(compile_loss, "build")
    def build(original, self, y_true, y_pred):
        loss, weights, names = self._user_loss, self._user_loss_weights, self.output_names
        outputs = len(keras.tree.flatten(y_pred))
        if isinstance(loss, dict) and names and set(loss) < set(names):  # the other outputs are not trained
            self._user_loss = {name: loss.get(name) for name in names}
        elif outputs > 1 and not keras.tree.is_nested(loss) and keras.tree.is_nested(weights):
            self._user_loss = [loss] * outputs
        if isinstance(weights, dict) and names and set(weights) < set(names):
            self._user_loss_weights = {name: weights.get(name, 1.0) for name in names}
        return original(self, y_true, y_pred)

    @wrap(compile_loss, "__call__")
    def call(original, self, y_true, y_pred, sample_weight=None):
        labels = _unnamed(keras, y_true, y_pred, self.output_names)
        if isinstance(sample_weight, dict) and isinstance(y_pred, (list, tuple)) and self.output_names:
            sample_weight = [sample_weight.get(name) for name in self.output_names]
        return original(self, labels, y_pred, _unnamed(keras, sample_weight, y_pred))


def _unnamed(keras, y_true, y_pred, names=None):
    """The labels in the outputs' order: of the only output, which Keras 2 also took by its name; and with those that
    have none filled up, which no loss looks at."""
    if not isinstance(y_true, dict):
        return y_true
    if not keras.tree.is_nested(y_pred):
        return next(iter(y_true.values())) if len(y_true) == 1 else y_true
    if names and isinstance(y_pred, (list, tuple)) and set(y_true) < set(names):
        return [y_true.get(name, filler) for name, filler in zip(names, y_pred, strict=True)]
    return y_true


def _metrics(keras, compile_metrics) -> None:
    @wrap(compile_metrics, "update_state")
    def update_state(original, self, y_true, y_pred, sample_weight=None):
        return original(self, _unnamed(keras, y_true, y_pred, self.output_names), y_pred, sample_weight)

    @wrap(compile_metrics, "_build_metrics_set")
    def build_metrics_set(original, self, metrics, num_outputs, *args, **kwargs):
        flat = isinstance(metrics, (list, tuple)) and not any(isinstance(m, (list, tuple, dict)) for m in metrics)
        if flat and num_outputs > 1 and len(metrics) not in (0, num_outputs):
            metrics = [list(metrics)] * num_outputs
        return original(self, metrics, num_outputs, *args, **kwargs)
