"""Monitors of `tf.contrib.learn`, which became hooks: objects that are asked before and after each step of `fit`.

A monitor is told the number of the step: `step_begin(step)` gives what to fetch, `step_end(step, outputs)` whether to
stop.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.train import file_hooks, hooks
from reflow.compat.train.global_step import get_global_step
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunHook
from reflow.core.logging import logger
from reflow.train.checkpoint_state import latest_checkpoint


class BaseMonitor:
    """The base of monitors."""

    _estimator: Any = None

    @property
    def run_on_all_workers(self) -> bool:
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Sets the estimator that is trained."""
        self._estimator = estimator

    def begin(self, max_steps: int | None = None) -> None:
        """Training begins."""

    def end(self, session: Any = None) -> None:
        """Training ends."""

    def epoch_begin(self, epoch: int) -> None:
        """Called at the beginning of an epoch."""

    def epoch_end(self, epoch: int) -> None:
        """Called at the end of an epoch."""

    def step_begin(self, step: int) -> list:
        """Returns what to fetch in a step."""
        return []

    def step_end(self, step: int, output: dict[str, Any] | None) -> bool:
        """Whether to stop after a step, in which `output` was fetched, by the names of tensors."""
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Called after a step."""


class EveryN(BaseMonitor):
    """A monitor that is asked at some steps only: the first ones, every `every_n_steps`, and the last."""

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        self._every_n_steps, self._first_n_steps = every_n_steps, first_n_steps
        self._last_active_step, self._max_steps = 0, None
        self._active = False

    def begin(self, max_steps=None):
        self._max_steps = max_steps

    def every_n_step_begin(self, step: int) -> list:
        """What to fetch in such a step."""
        return []

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """Whether to stop after such a step."""
        return False

    def every_n_post_step(self, step: int, session: Any) -> None:
        """Such a step is over."""

    def step_begin(self, step):
        self._active = (
            step <= self._first_n_steps or step >= self._every_n_steps + self._last_active_step
            or step == self._max_steps
        )
        return self.every_n_step_begin(step) if self._active else []

    def step_end(self, step, output):
        return bool(self._active and self.every_n_step_end(step, output or {}))

    def post_step(self, step, session):
        if self._active:
            self.every_n_post_step(step, session)
            self._last_active_step = step


class ValidationMonitor(EveryN):
    """Evaluates the model while it is trained, whenever there is a new checkpoint, and may stop training.

    Args:
      x, y, input_fn, batch_size, eval_steps: what to evaluate on.
      every_n_steps: how often to look for a checkpoint.
      metrics: more metrics, as of `evaluate`.
      early_stopping_rounds: training stops after so many steps without a better `early_stopping_metric`.
    """

    def __init__(
        self, x=None, y=None, input_fn=None, batch_size=None, eval_steps=None, every_n_steps=100, metrics=None,
        hooks=None, early_stopping_rounds=None, early_stopping_metric="loss", early_stopping_metric_minimize=True,
        name=None, check_interval_secs=5,
    ) -> None:
        super().__init__(every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self._inputs = {
            "x": x, "y": y, "input_fn": input_fn, "batch_size": batch_size, "steps": eval_steps, "hooks": hooks
        }
        self._metrics, self._name, self._interval = metrics, name, check_interval_secs
        self._rounds, self._metric, self._smaller = (
            early_stopping_rounds, early_stopping_metric, early_stopping_metric_minimize
        )
        self._best: dict[str, Any] = {"step": None, "value": None, "metrics": None}
        self._evaluated: str | None = None
        self._looked = float("-inf")
        self._stopped = False

    early_stopped = property(lambda self: self._stopped, doc="Whether it stopped training.")
    best_step = property(lambda self: self._best["step"])
    best_value = property(lambda self: self._best["value"])
    best_metrics = property(lambda self: self._best["metrics"])

    def every_n_step_end(self, step, outputs):
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        now = time.monotonic()
        if now - self._looked < self._interval:
            return False
        self._looked = now
        found = latest_checkpoint(self._estimator.model_dir)
        if found is None or found == self._evaluated:
            logger.debug("Skipping evaluation: there is no new checkpoint at step %d.", step)
            return False
        values = self._estimator.evaluate(**self._inputs, metrics=self._metrics, name=self._name, checkpoint_path=found)
        self._evaluated = found
        logger.info("Validation (step %d): %s", step, ", ".join(f"{k} = {v}" for k, v in sorted(values.items())))
        return self._rounds is not None and self._is_over(step, values)

    def _is_over(self, step: int, values: dict) -> bool:
        """Whether the metric has not become better for too long."""
        if self._metric not in values:
            raise ValueError(f"Metric {self._metric} missing from outputs {sorted(values)}.")
        value, best = values[self._metric], self._best["value"]
        if best is None or (value < best if self._smaller else value > best):
            self._best = {"step": step, "value": value, "metrics": values}
        self._stopped = step - self._best["step"] >= self._rounds
        if self._stopped:
            logger.info("Stopping. Best step: %s with %s = %s.", self._best["step"], self._metric, self._best["value"])
        return self._stopped


class StopAtStep(BaseMonitor):
    """Stops training after a number of steps, or at a given step."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise ValueError("One of num_steps or last_step must be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def step_begin(self, step):
        if self._last_step is None:
            self._last_step = step + (self._num_steps or 0) - 1
        return []

    def step_end(self, step, output):
        return step >= self._last_step


class CaptureVariable(EveryN):
    """Records the values of a tensor by step."""

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._values: dict[int, Any] = {}

    values = property(lambda self: self._values)

    def every_n_step_begin(self, step):
        return [self._var_name]

    def every_n_step_end(self, step, outputs):
        self._values[step] = outputs[self._var_name]
        return False


class PrintTensor(EveryN):
    """Logs tensors, which are given by name or as a dictionary of titles."""

    def __init__(self, tensor_names: Any, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._tensors = tensor_names if isinstance(tensor_names, dict) else {name: name for name in tensor_names}

    def every_n_step_begin(self, step):
        return list(self._tensors.values())

    def every_n_step_end(self, step, outputs):
        logger.info(
            "Step %d: %s", step, ", ".join(f"{title} = {outputs[name]}" for title, name in self._tensors.items())
        )
        return False


class LoggingTrainable(EveryN):
    """Logs the values of trainable variables of a scope."""

    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._scope = scope

    def every_n_step_begin(self, step):
        self._names = [v.name for v in get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, self._scope)]
        return self._names

    def every_n_step_end(self, step, outputs):
        logger.info(
            "Logging Trainable: Step %d: %s", step, ", ".join(f"{name} = {outputs[name]}" for name in self._names)
        )
        return False


class RunHookAdapterForMonitors(SessionRunHook):
    """Monitors as one hook."""

    def __init__(self, monitors: Iterable[BaseMonitor], max_steps: int | None = None) -> None:
        self._monitors, self._max_steps = list(monitors), max_steps

    def begin(self):
        self._step_tensor = get_global_step()
        self._last: Any = None
        for monitor in self._monitors:
            monitor.begin(max_steps=self._max_steps)

    def before_run(self, run_context):
        if self._last is None:
            self._last = int(run_context.session.run(self._step_tensor)) + 1
        graph = run_context.session.graph
        with graph.as_default():
            wanted = [tensor for monitor in self._monitors for tensor in monitor.step_begin(self._last)]
        return SessionRunArgs({_key(t): graph.as_graph_element(_name(t)) for t in wanted})

    def after_run(self, run_context, run_values):
        outputs = run_values.results or {}
        stops = [monitor.step_end(self._last, outputs) for monitor in self._monitors]
        for monitor in self._monitors:
            monitor.post_step(self._last, run_context.session)
        if any(stops):
            run_context.request_stop()
        self._last += 1

    def end(self, session):
        self._last = None
        for monitor in self._monitors:
            monitor.end(session)


def _key(tensor: Any) -> str:
    return tensor if isinstance(tensor, str) else tensor.name


def _name(tensor: Any) -> str:
    name = _key(tensor)
    return name if ":" in name else f"{name}:0"


def as_hooks(monitors: Any, estimator: Any, max_steps: int | None = None) -> list[SessionRunHook]:
    """Monitors and hooks as hooks."""
    given = [monitors] if isinstance(monitors, (BaseMonitor, SessionRunHook)) else list(monitors or [])
    found = [hook for hook in given if isinstance(hook, SessionRunHook)]
    rest = [monitor for monitor in given if not isinstance(monitor, SessionRunHook)]
    for monitor in rest:
        monitor.set_estimator(estimator)
    return [*found, RunHookAdapterForMonitors(rest, max_steps)] if rest else found


def replace_monitors_with_hooks(monitors_or_hooks: Any, estimator: Any) -> list[SessionRunHook]:
    """Monitors and hooks as hooks."""
    return as_hooks(monitors_or_hooks, estimator)


def StepCounter(every_n_steps=100, output_dir=None, summary_writer=None):  # noqa: N802  # TensorFlow's name
    """A hook that counts steps in a second."""
    return file_hooks.StepCounterHook(every_n_steps, output_dir=output_dir, summary_writer=summary_writer)


def NanLoss(loss_tensor, every_n_steps=100, fail_on_nan_loss=True):  # noqa: N802
    """A hook that stops where the loss is no number; it looks at each step."""
    return hooks.NanTensorHook(loss_tensor, fail_on_nan_loss)


def CheckpointSaver(  # noqa: N802
    checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt", scaffold=None
):
    """A hook that writes checkpoints."""
    return file_hooks.CheckpointSaverHook(checkpoint_dir, save_secs, save_steps, saver, checkpoint_basename, scaffold)


def SummarySaver(summary_op, save_steps=100, output_dir=None, summary_writer=None, scaffold=None):  # noqa: N802
    """A hook that writes summaries."""
    return file_hooks.SummarySaverHook(save_steps, None, output_dir, summary_writer, scaffold, summary_op)


def get_default_monitors(
    loss_op=None, summary_op=None, save_summary_steps=100, output_dir=None, summary_writer=None
) -> list:
    """The hooks that `fit` added by itself: step counters and summaries."""
    found: list[Any] = [] if loss_op is None else [PrintTensor({"loss": loss_op.name})]
    if summary_op is not None:
        found.append(SummarySaver(summary_op, save_summary_steps, output_dir, summary_writer))
    return found
