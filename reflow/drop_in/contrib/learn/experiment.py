"""`tf.contrib.learn.Experiment` and `learn_runner`: an estimator with the inputs to train and to evaluate it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from reflow.drop_in.contrib.learn.monitors import as_hooks
from reflow.estimator.run_config import RunConfig as EstimatorRunConfig


class RunConfig(EstimatorRunConfig):
    """The settings of an estimator; contrib's own session settings become a `session_config`."""

    def __init__(
        self, master=None, num_cores=0, log_device_placement=False, gpu_memory_fraction=1, tf_random_seed=None,
        save_summary_steps=100, save_checkpoints_secs=600, save_checkpoints_steps=None, keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000, log_step_count_steps=100, evaluation_master="", model_dir=None,
        session_config=None, **distribution: Any,
    ) -> None:
        if master or evaluation_master:
            raise ValueError(
                "RunConfig: estimators run in this process here; leave out `master` and `evaluation_master`."
            )
        if session_config is None:
            from reflow.compat.protos import ConfigProto

            session_config = ConfigProto(
                log_device_placement=log_device_placement, inter_op_parallelism_threads=num_cores,
                intra_op_parallelism_threads=num_cores, allow_soft_placement=True,
            )
            session_config.gpu_options.per_process_gpu_memory_fraction = gpu_memory_fraction
        super().__init__(
            model_dir, tf_random_seed, save_summary_steps, save_checkpoints_steps,
            None if save_checkpoints_steps is not None else save_checkpoints_secs, session_config, keep_checkpoint_max,
            keep_checkpoint_every_n_hours, log_step_count_steps, **distribution,
        )

    environment = "local"
    tf_config = property(lambda self: self.session_config)


class Experiment:
    """An estimator, of contrib or of `tf.estimator`, and what it is trained and evaluated with."""

    def __init__(
        self, estimator, train_input_fn, eval_input_fn, eval_metrics=None, train_steps=None, eval_steps=100,
        train_monitors=None, eval_hooks=None, local_eval_frequency=None, eval_delay_secs=120,
        continuous_eval_throttle_secs=60, min_eval_frequency=None, delay_workers_by_global_step=False,
        export_strategies=None, train_steps_per_iteration=None, checkpoint_and_export=False,
    ) -> None:
        if eval_metrics is not None and not hasattr(estimator, "fit"):
            raise ValueError(
                "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use `eval_metric_ops` in `EstimatorSpec`."
            )
        self._estimator, self._train_input_fn, self._eval_input_fn = estimator, train_input_fn, eval_input_fn
        self._eval_metrics, self._train_steps, self._eval_steps = eval_metrics, train_steps, eval_steps
        self._train_hooks, self._eval_hooks = list(train_monitors or []), list(eval_hooks or [])
        self._every = min_eval_frequency or local_eval_frequency or train_steps_per_iteration
        self._exports = list(export_strategies or []) if not callable(export_strategies) else [export_strategies]

    estimator = property(lambda self: self._estimator)
    eval_metrics = property(lambda self: self._eval_metrics)
    train_steps = property(lambda self: self._train_steps)
    eval_steps = property(lambda self: self._eval_steps)

    def extend_train_hooks(self, additional_hooks: list) -> None:
        """Add hooks for training."""
        self._train_hooks += additional_hooks

    def reset_export_strategies(self, new_export_strategies: Any = None) -> list:
        """Change how the model is exported; returns how it was."""
        old, self._exports = self._exports, list(new_export_strategies or [])
        return old

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains until `train_steps` steps are done in all."""
        return self._train(self._train_steps)

    def _train(self, max_steps: int | None) -> Any:
        if hasattr(self._estimator, "fit"):
            return self._estimator.fit(input_fn=self._train_input_fn, max_steps=max_steps, monitors=self._train_hooks)
        return self._estimator.train(
            self._train_input_fn, as_hooks(self._train_hooks, self._estimator), max_steps=max_steps
        )

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> dict:
        """Evaluates the estimator once."""
        more = {"metrics": self._eval_metrics} if hasattr(self._estimator, "fit") else {}
        return self._estimator.evaluate(
            input_fn=self._eval_input_fn, steps=self._eval_steps, name=name, hooks=self._eval_hooks, **more
        )

    def _export(self, values: dict) -> list:
        folder = self._estimator.model_dir
        return [
            strategy.export(self._estimator, f"{folder}/export/{strategy.name}", eval_result=values)
            for strategy in self._exports
        ]

    def train_and_evaluate(self) -> tuple[dict, list]:
        """Train, evaluate (also in between, every `min_eval_frequency` steps), and export.

        Returns the metrics and the exports.
        """
        if self._every and self._train_steps:
            for steps in range(self._every, self._train_steps, self._every):
                self._train(steps)
                self.evaluate()
        self._train(self._train_steps)
        values = self.evaluate()
        return values, self._export(values)

    local_run = run_std_server = continuous_train_and_eval = train_and_evaluate

    def test(self) -> tuple[dict, list]:
        """One step of training, and one evaluation."""
        self._train(1)
        values = self.evaluate(name="one_pass")
        return values, self._export(values)


def run(experiment_fn: Callable, output_dir=None, schedule=None, run_config=None, hparams=None) -> Any:
    """Make an experiment and run one of its methods: by default `train_and_evaluate`.

    `experiment_fn` takes the folder, or `run_config` and `hparams`.
    """
    if (output_dir is None) == (run_config is None):
        raise ValueError("Cannot provide both `output_dir` and `run_config`, and one must be given.")
    if output_dir is not None:
        experiment = experiment_fn(output_dir)
    else:
        if run_config.model_dir is None:
            raise ValueError("Must have `model_dir` set in `run_config`.")
        offered = {"run_config": run_config, "hparams": hparams}
        experiment = experiment_fn(
            **{k: v for k, v in offered.items() if k in inspect.signature(experiment_fn).parameters}
        )
    if not hasattr(experiment, "train_and_evaluate"):
        raise TypeError(f"Experiment builder did not return an Experiment instance, got {type(experiment)} instead.")
    task = getattr(experiment, schedule or "train_and_evaluate", None)
    if task is None or not callable(task) or (schedule or "").startswith("_"):
        raise ValueError(f"Schedule references non-existent task {schedule}")
    return task()
