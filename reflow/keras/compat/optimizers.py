"""Optimizers: `lr=`, `decay=`, `lr`, `get_weights`, `minimize`, and `tf.keras.optimizers.legacy`."""

from __future__ import annotations

import sys

import numpy as np

from reflow.core.context import init_scope
from reflow.eager.tape import GradientTape
from reflow.keras.compat.patching import wrap

_LEGACY = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop", "SGD")


def install(keras) -> None:
    optimizer = keras.optimizers.Optimizer

    @wrap(optimizer, "__init__")
    def init(original, self, *args, **kwargs):
        decay = kwargs.pop("decay", None)
        if "lr" in kwargs:
            kwargs["learning_rate"] = kwargs.pop("lr")
            args = ()
        original(self, *args, **kwargs)
        if decay:
            self._decay = decay

    @wrap(optimizer, "_get_current_learning_rate")
    def current(original, self):
        rate = original(self)
        if not getattr(self, "_decay", 0.0):
            return rate
        steps = keras.ops.cast(self.iterations, "float32")
        return keras.ops.convert_to_tensor(rate) / (1.0 + self._decay * steps)

    optimizer.lr = property(lambda self: self._learning_rate, lambda self, value: setattr(self, "learning_rate", value))
    optimizer.get_weights = _get_weights
    optimizer.set_weights = _setter(optimizer.set_weights)
    optimizer.weights = property(_weights, doc="The step counter and the slots, as Keras 2 orders them.")
    optimizer.minimize = _minimize
    for cls in vars(keras.optimizers).values():
        if isinstance(cls, type) and issubclass(cls, optimizer) and "build" in vars(cls):
            _wait_for_variables(cls)
    _legacy(keras)


def _wait_for_variables(cls) -> None:
    """Keras 3.15 builds the optimizer of a model from a `.h5` file for no variables at all, and then refuses those of the model.
    Here it waits for them, and the stored state with it."""

    @wrap(cls, "build")
    def build(original, self, variables):
        if not variables:
            self._stored_weights = []
            return
        original(self, variables)
        stored = vars(self).pop("_stored_weights", None)
        if stored:
            with init_scope():  # the first step builds it while it is traced
                self.set_weights(stored)


def _weights(self) -> list:
    return [v for v in self.variables if v is not self._learning_rate]


def _get_weights(self) -> list:
    """The values of `weights`, as arrays."""
    return [v.numpy() for v in _weights(self)]


def _setter(original):
    def set_weights(self, weights):
        """Set what `get_weights` gave, or the values of all `variables`."""
        if "_stored_weights" in vars(self):
            self._stored_weights = [np.asarray(w) for w in weights]
            return None
        variables = _weights(self)
        if len(weights) != len(variables):
            return original(self, weights)
        for variable, value in zip(variables, weights, strict=True):
            variable.assign(value)
        return None

    return set_weights


def _minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
    """Compute gradients of a loss, which is a function of nothing or a tensor of `tape`, and apply them."""
    if not callable(loss) and tape is None:
        raise ValueError(f"`tape` is required when a `Tensor` loss is passed. Received: loss={loss}, tape={tape}.")
    if callable(loss):
        with tape or GradientTape() as tape:
            if not callable(var_list):
                tape.watch(var_list)
            loss = loss()
    var_list = list(var_list() if callable(var_list) else var_list)
    gradients = tape.gradient(loss, var_list, grad_loss)
    return self.apply_gradients(zip(gradients, var_list, strict=True))


def _legacy(keras) -> None:
    """The classes of Keras 3 under the names of the old ones, whose arguments they take."""
    for path in ("keras.optimizers.legacy", "keras._tf_keras.keras.optimizers.legacy"):
        module = sys.modules.get(path)
        for name in _LEGACY if module is not None else ():
            setattr(module, name, getattr(keras.optimizers, name))
