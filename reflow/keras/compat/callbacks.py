"""Callbacks: `history["lr"]`, and hooks whose second parameter is not called `logs`."""

from __future__ import annotations

import functools
import inspect
import types

from reflow.keras.compat.patching import is_keras_class, on_subclass, wrap

_HOOKS = [f"on_{mode}batch_{when}" for mode in ("", "train_", "test_", "predict_") for when in ("begin", "end")]


def install(keras) -> None:
    _history(keras.callbacks.History)
    _lambdas(keras.callbacks.LambdaCallback)
    on_subclass(keras.callbacks.Callback, _positional_hooks)


class _Epochs(dict):
    """The values of each epoch by name. `lr` is Keras 2's name for `learning_rate`."""

    def __missing__(self, name):
        if name == "lr" and "learning_rate" in self:
            return self["learning_rate"]
        raise KeyError(name)


def _history(history):
    @wrap(history, "__init__")
    def init(original, self):
        original(self)
        self.history = _Epochs()


def _lambdas(callback):
    """`LambdaCallback(on_batch_end=f)`."""

    @wrap(callback, "__init__")
    def init(original, self, *args, **kwargs):
        original(self, *args, **{name: _with_logs(f) if name in _HOOKS else f for name, f in kwargs.items()})


def _positional_hooks(cls):
    for name in _HOOKS:
        if name in cls.__dict__ and not is_keras_class(cls):
            setattr(cls, name, _with_logs(cls.__dict__[name]))


def _with_logs(hook):
    """The hook by a keyword `logs`, by which Keras 3 gives what Keras 2 gave by position."""
    if not isinstance(hook, types.FunctionType) or "logs" in inspect.signature(hook).parameters:
        return hook

    @functools.wraps(hook)
    def call(*args, **kwargs):
        return hook(*args, *([kwargs.pop("logs")] if "logs" in kwargs else ()), **kwargs)

    return call
