"""`RunConfig`: an estimator's folder, how often it writes, and on how many machines it runs."""

from __future__ import annotations

import copy
import os
from typing import Any

from reflow.api.export import export
from reflow.distribute.resolvers import tf_config_cluster
from reflow.distribute.strategy import Strategy

_DEFAULT = object()


@export("estimator.RunConfig", "compat.v1.estimator.RunConfig")
class RunConfig:
    """The settings of an estimator.

    Checkpoints are written every 600 seconds unless `save_checkpoints_steps` or `save_checkpoints_secs` says otherwise;
    both raise. A cluster is read from the environment variable `TF_CONFIG`; estimators here run on one machine, so a
    cluster of several raises.

    With `train_distribute`, a `tf.distribute.Strategy` of this machine's devices, each replica takes a batch of every
    step: the gradients are those of the mean of their losses, and batch normalization follows the first replica. With
    `eval_distribute` a step of an evaluation is as many batches.

    >>> config = tf.estimator.RunConfig(save_checkpoints_steps=10)
    >>> config.save_checkpoints_secs, config.replace(model_dir="m").model_dir
    (None, 'm')
    """

    def __init__(
        self, model_dir=None, tf_random_seed=None, save_summary_steps=100, save_checkpoints_steps=_DEFAULT,
        save_checkpoints_secs=_DEFAULT, session_config=None, keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100, train_distribute=None, device_fn=None, protocol=None, eval_distribute=None,
        experimental_distribute=None, experimental_max_worker_delay_secs=None, session_creation_timeout_secs=7200,
        checkpoint_save_graph_def=True,
    ):
        both = save_checkpoints_steps is not _DEFAULT and save_checkpoints_secs is not _DEFAULT
        if both and save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.")
        if save_checkpoints_secs is _DEFAULT:
            save_checkpoints_secs = 600 if save_checkpoints_steps is _DEFAULT else None
        steps = None if save_checkpoints_steps is _DEFAULT else save_checkpoints_steps
        self._values = {
            "model_dir": None if model_dir is None else os.fspath(model_dir),
            "tf_random_seed": tf_random_seed,
            "save_summary_steps": save_summary_steps,
            "save_checkpoints_steps": steps,
            "save_checkpoints_secs": save_checkpoints_secs,
            "session_config": session_config,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_every_n_hours": keep_checkpoint_every_n_hours,
            "log_step_count_steps": log_step_count_steps,
            "train_distribute": train_distribute,
            "device_fn": device_fn,
            "protocol": protocol,
            "eval_distribute": eval_distribute,
            "experimental_distribute": experimental_distribute,
            "experimental_max_worker_delay_secs": experimental_max_worker_delay_secs,
            "session_creation_timeout_secs": session_creation_timeout_secs,
            "checkpoint_save_graph_def": checkpoint_save_graph_def,
        }
        self._check()

    def _check(self) -> None:
        for name in ("save_summary_steps", "save_checkpoints_secs"):
            if self._values[name] is not None and self._values[name] < 0:
                raise ValueError(f"{name} should be >= 0")
        if self._values["save_checkpoints_steps"] is not None and self._values["save_checkpoints_steps"] < 0:
            raise ValueError("save_checkpoints_steps should be >= 0")
        if self._values["keep_checkpoint_max"] is not None and self._values["keep_checkpoint_max"] < 0:
            raise ValueError("keep_checkpoint_max should be >= 0")
        if self._values["keep_checkpoint_every_n_hours"] <= 0:
            raise ValueError("keep_checkpoint_every_n_hours should be > 0")
        if self._values["experimental_distribute"] is not None and (self.train_distribute or self.eval_distribute):
            raise ValueError(
                "`experimental_distribute` cannot be set together with `train_distribute` or `eval_distribute`."
            )
        for name in ("train_distribute", "eval_distribute"):
            self._devices(name)
        cluster = tf_config_cluster()
        if sum(map(cluster.num_tasks, cluster.jobs)) > 1:
            raise ValueError(
                "RunConfig: TF_CONFIG names several machines; estimators run on one here. Keras models take strategies."
            )

    def __getattr__(self, name: str) -> Any:
        if name == "_values" or name not in self._values:
            raise AttributeError(f"'RunConfig' object has no attribute {name!r}")
        return self._values[name]

    train_devices = property(
        lambda self: self._devices("train_distribute"), doc="The devices of the strategy for training; none without."
    )
    eval_devices = property(
        lambda self: self._devices("eval_distribute"), doc="The devices of the strategy for evaluation."
    )

    def _devices(self, name: str) -> tuple[str, ...]:
        """The devices of a strategy's replicas, which must be in this process."""
        strategy = self._values[name] or getattr(self._values["experimental_distribute"], name, None)
        if strategy is None:
            return ()
        if not isinstance(strategy, Strategy):
            raise ValueError(f"RunConfig: `{name}` must be a tf.distribute.Strategy. Received: {strategy!r}")
        devices = tuple(strategy.extended.worker_devices)
        if len(devices) != strategy.num_replicas_in_sync:
            raise ValueError(
                f"RunConfig: the replicas of `{name}` are on several machines; estimators run on one here."
            )
        return devices

    # one machine, which does everything
    is_chief = True
    master = evaluation_master = ""
    task_type, task_id, global_id_in_cluster = "worker", 0, 0
    num_ps_replicas, num_worker_replicas = 0, 1
    cluster_spec = property(lambda self: {})
    service = None

    def replace(self, **kwargs) -> RunConfig:
        """A copy with some settings changed."""
        unknown = set(kwargs) - set(self._values)
        if unknown:
            raise ValueError(
                f"Replacing {sorted(unknown)[0]} is not supported. Allowed properties are {sorted(self._values)}."
            )
        new = copy.copy(self)
        new._values = {**self._values, **kwargs}
        if (
            new._values["save_checkpoints_steps"] is not None and "save_checkpoints_steps" in kwargs
            and "save_checkpoints_secs" not in kwargs
        ):
            new._values["save_checkpoints_secs"] = None
        if new._values["save_checkpoints_steps"] is not None and new._values["save_checkpoints_secs"] is not None:
            raise ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.")
        new._check()
        return new

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._values})"
