"""`compile(optimizer=tf.compat.v1.train.AdamOptimizer(...))`: TensorFlow 1 optimizers in Keras models."""

from __future__ import annotations

import sys
from typing import Any

import keras

from reflow.compat.train.optimizers import Optimizer
from reflow.keras.compat.patching import wrap


def install(_keras: Any) -> None:
    # of the base class: Keras asks whether a model's `compile` is that one
    @wrap(sys.modules["keras.src.trainers.trainer"].Trainer, "compile")
    def compile(original, self, *args, **kwargs):
        if args and isinstance(args[0], Optimizer):
            args = (TFOptimizer(args[0]), *args[1:])
        if isinstance(kwargs.get("optimizer"), Optimizer):
            kwargs["optimizer"] = TFOptimizer(kwargs["optimizer"])
        return original(self, *args, **kwargs)


class TFOptimizer(keras.optimizers.Optimizer):
    """An optimizer of TensorFlow 1, as `optimizer`. It has no learning rate that Keras could read or set."""

    def __init__(self, optimizer: Optimizer) -> None:
        super().__init__(0.0, name=type(optimizer).__name__)
        self.optimizer = optimizer

    @property
    def learning_rate(self):
        raise AttributeError("An optimizer of TensorFlow 1 has no learning rate that Keras can read or set.")

    lr = learning_rate

    def apply(self, grads: Any, trainable_variables: Any = None) -> Any:
        """Change the variables by their gradients."""
        if trainable_variables is None:
            trainable_variables = self._trainable_variables
        elif not self.built:
            self.build(trainable_variables)
        variables = [getattr(v, "_value", v) for v in trainable_variables]
        pairs = [(g, v) for g, v in zip(grads, variables, strict=True) if g is not None]
        self.optimizer.apply_gradients(pairs)
        return self.iterations.assign_add(1)

    def get_config(self) -> dict:
        raise NotImplementedError("An optimizer of TensorFlow 1 has no configuration that could be stored.")
