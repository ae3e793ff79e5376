"""`Model`: arguments and methods of Keras 2's training loop, losses on symbolic tensors."""

from __future__ import annotations

import functools
import json
import sys

from reflow.keras.compat.patching import publish, wrap

_WORKERS = ("workers", "use_multiprocessing", "max_queue_size")


def install(keras) -> None:
    model = keras.Model
    for name in ("fit", "evaluate", "predict"):
        _accept_workers(keras, model, name)
    for name in ("train_on_batch", "test_on_batch"):
        _accept_reset_metrics(model, name)
    _generators(model)
    _predictions(model)
    _metrics(model)
    _states(model)
    _symbolic_losses(keras)
    _clones()
    _from_json()
    model._repr_html_ = _shown


def _shown(self) -> str:
    """What notebooks show of a model: its layers, the shapes of their outputs, and how many parameters they have."""
    from reflow.core import html

    rows = []
    for layer in self.layers:
        shape = getattr(getattr(layer, "output", None), "shape", "?") if layer.built and layer._inbound_nodes else "?"
        rows.append(
            (layer.name, type(layer).__name__, shape, f"{layer.count_params():,}" if layer.built else "not built yet")
        )
    facts = (
        {"name": self.name, "parameters": f"{self.count_params():,}"} if self.built
        else {"name": self.name, "parameters": "not built yet"}
    )
    return html.card(type(self).__name__, facts, html.table(["layer", "kind", "output", "parameters"], rows))


def _accept_workers(keras, model, name):
    @wrap(model, name)
    def method(original, self, *args, **kwargs):
        given = {key: kwargs.pop(key) for key in _WORKERS if key in kwargs}
        data = args[0] if args else kwargs.get("x")
        if given and isinstance(data, keras.utils.PyDataset):
            for key, value in given.items():
                setattr(data, key, value)
        return original(self, *args, **kwargs)


def _accept_reset_metrics(model, name):
    @wrap(model, name)
    def method(original, self, *args, reset_metrics=False, **kwargs):
        if reset_metrics:
            self.reset_metrics()
        return original(self, *args, **kwargs)


def _generators(model):
    def fit_generator(self, generator, *args, **kwargs):
        """`fit` on a generator."""
        names = (
            "steps_per_epoch", "epochs", "verbose", "callbacks", "validation_data", "validation_steps",
            "validation_freq", "class_weight", "max_queue_size", "workers", "use_multiprocessing", "shuffle",
            "initial_epoch",
        )
        return self.fit(generator, **(dict(zip(names, args)) | kwargs))

    def evaluate_generator(
        self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1, use_multiprocessing=False, verbose=0
    ):
        """`evaluate` on a generator."""
        return self.evaluate(generator, steps=steps, callbacks=callbacks, verbose=verbose)

    def predict_generator(
        self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1, use_multiprocessing=False, verbose=0
    ):
        """`predict` on a generator."""
        return self.predict(generator, steps=steps, callbacks=callbacks, verbose=verbose)

    for function in (fit_generator, evaluate_generator, predict_generator):
        setattr(model, function.__name__, function)


def _predictions(model):
    def predict_classes(self, x, batch_size=32, verbose=0):
        """The most probable class of each row; with one output, whether it is over one half."""
        found = self.predict(x, batch_size=batch_size, verbose=verbose)
        return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")

    def predict_proba(self, x, batch_size=32, verbose=0):
        """`predict`."""
        return self.predict(x, batch_size=batch_size, verbose=verbose)

    model.predict_classes, model.predict_proba = predict_classes, predict_proba


def _metrics(model):
    def metrics_names(self):
        """The names of what `evaluate` returns, in its order; complete once the model has seen data."""
        results = self.get_metrics_result()
        first = [metric.name for metric in self.metrics if metric.name in results]
        nested = [m.name for metric in self.metrics for m in getattr(metric, "metrics", ()) or () if m.name in results]
        order = []
        for metric in self.metrics:  # the order of Trainer._flatten_metrics_in_order
            inner = getattr(metric, "metrics", None)
            order += [m.name for m in inner] if inner is not None and metric.name not in results else [metric.name]
        order = [name for name in order if name in first or name in nested]
        return order + sorted(set(results) - set(order))

    model.metrics_names = property(metrics_names)


def _from_json():
    """`model_from_json` of a compiled model: Keras 3 stores how it was compiled, and fails on losses of the user."""
    module = sys.modules["keras.src.models.model"]
    original = module.model_from_json

    @functools.wraps(original)
    def model_from_json(json_string, custom_objects=None):
        try:
            return original(json_string, custom_objects)
        except (TypeError, ValueError):
            config = json.loads(json_string)
            if config.pop("compile_config", None) is None:
                raise
        return original(json.dumps(config), custom_objects)

    publish("model_from_json", model_from_json, "models")


def _clones():
    """`clone_model` of a compiled model: Keras 3 compiles the clone too, and fails on losses it cannot store."""
    cloning = sys.modules["keras.src.models.cloning"]
    original = cloning.clone_model

    @functools.wraps(original)
    def clone_model(model, *args, **kwargs):
        try:
            return original(model, *args, **kwargs)
        except (TypeError, ValueError):
            if not model.compiled:
                raise
        model.compiled = False
        try:
            return original(model, *args, **kwargs)
        finally:
            model.compiled = True

    publish("clone_model", clone_model, "models")


def _states(model):
    def reset_states(self):
        """Forget what stateful recurrent layers carry from batch to batch."""
        for layer in self._flatten_layers(include_self=False):
            if getattr(layer, "stateful", False) and hasattr(layer, "reset_state"):
                layer.reset_state()

    model.reset_states = reset_states


def _symbolic_losses(keras):
    """`add_loss(tensor)` and `add_metric(tensor)` of a functional model, with a tensor computed from its own."""
    functional = sys.modules["keras.src.models.functional"].Functional  # it has no public name

    def add_loss(self, loss):
        """Add a loss: a value, in `call`, or a tensor computed from this model's."""
        flat = keras.tree.flatten(loss)
        if any(isinstance(part, keras.KerasTensor) for part in flat):
            return self._hold_symbolic(losses=flat)
        return keras.layers.Layer.add_loss(self, loss)

    def hold_symbolic(self, losses=(), metric=None):
        held = vars(self).setdefault("_symbolic_losses", _Held())
        held.losses += losses
        held.metrics += [metric] if metric else []
        held.model = None

    functional.add_loss, functional._hold_symbolic = add_loss, hold_symbolic

    @wrap(functional, "__call__")
    def call(original, self, *args, **kwargs):
        held = vars(self).get("_symbolic_losses")
        if held is None or any(isinstance(a, keras.KerasTensor) for a in keras.tree.flatten((args, kwargs))):
            return original(self, *args, **kwargs)
        return held.call(keras, self, original, args, kwargs)


class _Held:
    """The symbolic losses and metrics of a model, and the model that computes them along with the outputs."""

    def __init__(self):
        self.losses: list = []
        self.metrics: list = []
        self.model = None

    def call(self, keras, model, original, args, kwargs):
        if self.model is None:
            shown = [value for _, value in self.metrics]
            self.model = keras.Model(model.inputs, {"outputs": model.outputs, "losses": self.losses, "metrics": shown})
        model._get_call_context()  # forgets the losses of the call before, if this is the outermost
        try:
            found = original(self.model, *args, **kwargs)
            for loss in found["losses"]:
                model.add_loss(loss)
        finally:
            model._maybe_reset_call_context()
        for (metric, _), value in zip(self.metrics, found["metrics"], strict=True):
            metric.update_state(value)
        return keras.tree.pack_sequence_as(model._outputs_struct, list(found["outputs"]))
