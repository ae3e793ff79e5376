"""Warm start: variables are initialized from a checkpoint of another model."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from reflow.api.export import export


class _Settings(NamedTuple):
    ckpt_to_initialize_from: str
    vars_to_warm_start: Any
    var_name_to_vocab_info: dict
    var_name_to_prev_var_name: dict


@export("estimator.WarmStartSettings", "compat.v1.estimator.WarmStartSettings")
class WarmStartSettings(_Settings):
    """Which variables start from which checkpoint.

    The arguments are those of `tf.compat.v1.train.warm_start`.

    >>> tf.estimator.WarmStartSettings("model").vars_to_warm_start
    '.*'
    """

    def __new__(
        cls, ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None,
        var_name_to_prev_var_name=None,
    ):
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return super().__new__(
            cls, ckpt_to_initialize_from, vars_to_warm_start, var_name_to_vocab_info or {},
            var_name_to_prev_var_name or {},
        )


def settings_of(warm_start_from: Any) -> WarmStartSettings | None:
    """A path alone warm-starts all trainable variables."""
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if isinstance(warm_start_from, (str, bytes, os.PathLike)):
        path = os.fspath(warm_start_from)
        return WarmStartSettings(path.decode() if isinstance(path, bytes) else path)
    raise ValueError(f"warm_start_from must be a string or a WarmStartSettings, instead got {type(warm_start_from)}")
