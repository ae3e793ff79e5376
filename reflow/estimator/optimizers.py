"""The optimizers that canned models and heads accept: names, version 1 optimizers, and Keras'."""

from __future__ import annotations

from typing import Any

from reflow.compat.train import optimizers

_BY_NAME = {
    "Adagrad": optimizers.AdagradOptimizer,
    "Adam": optimizers.AdamOptimizer,
    "Ftrl": optimizers.FtrlOptimizer,
    "RMSProp": optimizers.RMSPropOptimizer,
    "SGD": optimizers.GradientDescentOptimizer,
}


def optimizer_of(given: Any, learning_rate: float) -> optimizers.Optimizer:
    """An optimizer of version 1: by its name, as it is, from a function that makes it,
    or the one that a Keras optimizer is like."""
    if isinstance(given, str):
        if given not in _BY_NAME:
            raise ValueError(f"Unsupported optimizer name: {given}. Supported names are: {tuple(sorted(_BY_NAME))}")
        return _BY_NAME[given](learning_rate=learning_rate)
    if callable(given) and not hasattr(given, "get_config"):
        given = given()
    if isinstance(given, optimizers.Optimizer):
        return given
    if hasattr(given, "get_config"):
        return _like_keras(given)
    raise ValueError(f"The given object is not an Optimizer instance. Given: {given}")


def _like_keras(given: Any) -> optimizers.Optimizer:
    config, kind = given.get_config(), type(given).__name__
    rate = config["learning_rate"]
    if kind == "SGD" and config.get("momentum"):
        return optimizers.MomentumOptimizer(rate, config["momentum"], use_nesterov=config["nesterov"])
    if kind == "SGD":
        return optimizers.GradientDescentOptimizer(rate)
    if kind == "Adam":
        return optimizers.AdamOptimizer(rate, config["beta_1"], config["beta_2"], config["epsilon"])
    if kind == "Adagrad":
        return optimizers.AdagradOptimizer(rate, config["initial_accumulator_value"])
    if kind == "RMSprop":
        return optimizers.RMSPropOptimizer(rate, config["rho"], config["momentum"], config["epsilon"])
    raise ValueError(f"Canned estimators take no Keras optimizer {kind}; those of tf.compat.v1.train are taken.")
