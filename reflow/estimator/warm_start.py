"""Warm start: variables that begin with the values of a checkpoint of another model."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from reflow.api.export import export
from reflow.compat import graph_variables
from reflow.core.logging import logger
from reflow.train.checkpoint_reader import load_checkpoint
from reflow.train.checkpoint_state import latest_checkpoint


class _Settings(NamedTuple):
    ckpt_to_initialize_from: str
    vars_to_warm_start: Any
    var_name_to_vocab_info: dict
    var_name_to_prev_var_name: dict


@export("estimator.WarmStartSettings", "compat.v1.estimator.WarmStartSettings")
class WarmStartSettings(_Settings):
    """Which variables start from which checkpoint.

    `vars_to_warm_start` is a regular expression (or a list of them) of names of trainable variables, None for none but those in
    `var_name_to_prev_var_name`, which gives the names of variables in the checkpoint where they differ.

    >>> tf.estimator.WarmStartSettings("model").vars_to_warm_start
    '.*'
    """

    def __new__(
        cls, ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None
    ):
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        if var_name_to_vocab_info:
            raise ValueError("WarmStartSettings: `var_name_to_vocab_info` is not supported.")
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start, {}, var_name_to_prev_var_name or {})


def settings_of(warm_start_from: Any) -> WarmStartSettings | None:
    """A path alone warm-starts all trainable variables."""
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if isinstance(warm_start_from, (str, bytes, os.PathLike)):
        path = os.fspath(warm_start_from)
        return WarmStartSettings(path.decode() if isinstance(path, bytes) else path)
    raise ValueError(f"warm_start_from must be a string or a WarmStartSettings, instead got {type(warm_start_from)}")


def _chosen(settings: WarmStartSettings) -> list:
    patterns = settings.vars_to_warm_start
    if patterns is None:
        return [v for v in graph_variables.trainable_variables() if _name(v) in settings.var_name_to_prev_var_name]
    patterns = [patterns] if isinstance(patterns, str) else list(patterns)
    everything = graph_variables.trainable_variables() if patterns == [".*"] else graph_variables.global_variables()
    return [v for v in everything if any(re.match(pattern, _name(v)) for pattern in patterns)]


def _name(variable: Any) -> str:
    return variable.name.removesuffix(":0")


def loader(settings: WarmStartSettings) -> Any:
    """A function of a session that gives the variables of the current graph the values of the checkpoint."""
    path = settings.ckpt_to_initialize_from
    prefix = latest_checkpoint(path) if os.path.isdir(path) else path
    logger.info("Warm-starting from: %s", path)
    reader = load_checkpoint(prefix or path)
    pairs = [(v, settings.var_name_to_prev_var_name.get(_name(v), _name(v))) for v in _chosen(settings)]
    values = [(variable, reader.get_tensor(name)) for variable, name in pairs]
    for variable, value in values:
        if list(value.shape) != variable.shape.as_list():
            raise ValueError(f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of the tensor "
                             f"({list(value.shape)}) from checkpoint {path}.")

    def load(session: Any) -> None:
        for variable, value in values:
            variable.load(value, session)

    return load
