"""Hooks that stop training early, based on evaluations of the estimator, and one that evaluates during training."""

from __future__ import annotations

import collections
import glob
import operator
import os
import tempfile
from collections.abc import Callable
from typing import Any

from reflow.api.export import export
from reflow.compat.graph_variables import global_variables
from reflow.compat.summary_files import summary_iterator
from reflow.compat.train.global_step import get_or_create_global_step
from reflow.compat.train.hooks import SecondOrStepTimer
from reflow.compat.train.saver import Saver
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunHook
from reflow.core.logging import logger
from reflow.estimator.estimator import Estimator


@export("estimator.experimental.read_eval_metrics", "compat.v1.estimator.experimental.read_eval_metrics")
def read_eval_metrics(eval_dir: str) -> dict[int, dict[str, float]]:
    """The metrics that evaluations wrote to a folder, by step.

    >>> tf.estimator.experimental.read_eval_metrics("nothing here")
    OrderedDict()
    """
    found: dict[int, dict[str, float]] = collections.defaultdict(dict)
    for path in sorted(glob.glob(os.path.join(eval_dir, "*.tfevents.*"))):
        for event in summary_iterator(path):
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    found[event.step][value.tag] = value.simple_value
    return collections.OrderedDict(sorted(found.items()))


class _StopOn(SessionRunHook):
    """Asks a function now and then whether training shall stop."""

    def __init__(self, should_stop: Callable[[], bool], secs: float | None, steps: int | None) -> None:
        self._should_stop, self._timer = should_stop, SecondOrStepTimer(every_secs=secs, every_steps=steps)

    def begin(self):
        self._step = get_or_create_global_step()

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        step = int(run_values.results)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop():
                logger.info("Requesting early stopping at global step %d", step)
                run_context.request_stop()


@export("estimator.experimental.make_early_stopping_hook", "compat.v1.estimator.experimental.make_early_stopping_hook")
def make_early_stopping_hook(
    estimator: Estimator, should_stop_fn: Callable[[], bool], run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that stops training when a function says so; it is called every few seconds or steps.

    Raises:
      TypeError: `estimator` is not an estimator.
      ValueError: both intervals are given, or none.

    >>> estimator = tf.estimator.BaselineRegressor(model_dir="m")
    >>> hook = tf.estimator.experimental.make_early_stopping_hook(estimator, lambda: True, None, run_every_steps=1)
    >>> isinstance(hook, tf.estimator.SessionRunHook)
    True
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}")
    if (run_every_secs is None) == (run_every_steps is None):
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    return _StopOn(should_stop_fn, run_every_secs, run_every_steps)


def _seen(estimator: Estimator, metric_name: str, eval_dir: str | None, min_steps: int) -> list[tuple[int, float]]:
    """The steps from `min_steps` on whose evaluation has the metric, and its values."""
    metrics = read_eval_metrics(eval_dir or estimator.eval_dir())
    return [
        (step, values[metric_name]) for step, values in metrics.items() if step >= min_steps and metric_name in values
    ]


def _reaches(seen: Callable[[], list], better: Callable[[float, float], bool], threshold: float) -> Callable[[], bool]:
    return lambda: any(better(value, threshold) for _, value in seen())


def _stands_still(
    seen: Callable[[], list], better: Callable[[float, float], bool], patience: int
) -> Callable[[], bool]:
    def should_stop() -> bool:
        best: tuple[int, float] | None = None
        for step, value in seen():
            if best is None or better(value, best[1]):
                best = (step, value)
            elif step - best[0] >= patience:
                return True
        return False

    return should_stop


@export("estimator.experimental.stop_if_higher_hook", "compat.v1.estimator.experimental.stop_if_higher_hook")
def stop_if_higher_hook(
    estimator: Estimator, metric_name: str, threshold: float, eval_dir: str | None = None, min_steps: int = 0,
    run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a metric of an evaluation, after `min_steps`, is higher than a threshold.

    >>> estimator = tf.estimator.BaselineRegressor(model_dir="m")
    >>> isinstance(tf.estimator.experimental.stop_if_higher_hook(estimator, "loss", 2), tf.estimator.SessionRunHook)
    True
    """
    stop = _reaches(lambda: _seen(estimator, metric_name, eval_dir, min_steps), operator.gt, threshold)
    return make_early_stopping_hook(estimator, stop, run_every_secs, run_every_steps)


@export("estimator.experimental.stop_if_lower_hook", "compat.v1.estimator.experimental.stop_if_lower_hook")
def stop_if_lower_hook(
    estimator: Estimator, metric_name: str, threshold: float, eval_dir: str | None = None, min_steps: int = 0,
    run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a metric of an evaluation, after `min_steps`, is lower than a threshold.

    >>> estimator = tf.estimator.BaselineRegressor(model_dir="m")
    >>> isinstance(tf.estimator.experimental.stop_if_lower_hook(estimator, "loss", 2), tf.estimator.SessionRunHook)
    True
    """
    stop = _reaches(lambda: _seen(estimator, metric_name, eval_dir, min_steps), operator.lt, threshold)
    return make_early_stopping_hook(estimator, stop, run_every_secs, run_every_steps)


@export("estimator.experimental.stop_if_no_increase_hook", "compat.v1.estimator.experimental.stop_if_no_increase_hook")
def stop_if_no_increase_hook(
    estimator: Estimator, metric_name: str, max_steps_without_increase: int, eval_dir: str | None = None,
    min_steps: int = 0, run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that stops training when, after `min_steps`, a metric has not increased in evaluations for some steps.

    >>> estimator = tf.estimator.BaselineRegressor(model_dir="m")
    >>> isinstance(
    ...     tf.estimator.experimental.stop_if_no_increase_hook(estimator, "loss", 2), tf.estimator.SessionRunHook
    ... )
    True
    """
    stop = _stands_still(
        lambda: _seen(estimator, metric_name, eval_dir, min_steps), operator.gt, max_steps_without_increase
    )
    return make_early_stopping_hook(estimator, stop, run_every_secs, run_every_steps)


@export("estimator.experimental.stop_if_no_decrease_hook", "compat.v1.estimator.experimental.stop_if_no_decrease_hook")
def stop_if_no_decrease_hook(
    estimator: Estimator, metric_name: str, max_steps_without_decrease: int, eval_dir: str | None = None,
    min_steps: int = 0, run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that stops training when, after `min_steps`, a metric has not decreased in evaluations for some steps.

    >>> estimator = tf.estimator.BaselineRegressor(model_dir="m")
    >>> isinstance(
    ...     tf.estimator.experimental.stop_if_no_decrease_hook(estimator, "loss", 2), tf.estimator.SessionRunHook
    ... )
    True
    """
    stop = _stands_still(
        lambda: _seen(estimator, metric_name, eval_dir, min_steps), operator.lt, max_steps_without_decrease
    )
    return make_early_stopping_hook(estimator, stop, run_every_secs, run_every_steps)


@export("estimator.experimental.InMemoryEvaluatorHook", "compat.v1.estimator.experimental.InMemoryEvaluatorHook")
class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates the variables as they are in training, before the first step, every `every_n_iter` steps, and at the
    end.

    The results are written as events, as `Estimator.evaluate` does; the values go through a checkpoint in a temporary
    folder.

    >>> estimator = tf.estimator.BaselineRegressor(model_dir="m")
    >>> isinstance(
    ...     tf.estimator.experimental.InMemoryEvaluatorHook(estimator, lambda: None), tf.estimator.SessionRunHook
    ... )
    True
    """

    def __init__(self, estimator, input_fn, steps=None, hooks=None, name=None, every_n_iter=100):
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single worker (aka single machine) setting.")
        self._estimator, self._input_fn, self._steps, self._hooks, self._name = estimator, input_fn, steps, hooks, name
        self._timer, self._count = SecondOrStepTimer(every_steps=every_n_iter), 0

    def begin(self):
        self._saver = Saver(global_variables())

    def after_create_session(self, session, coord):
        self._evaluate(session)

    def after_run(self, run_context, run_values):
        self._count += 1
        if self._timer.should_trigger_for_step(self._count):
            self._evaluate(run_context.session)

    def end(self, session):
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        self._timer.update_last_triggered_step(self._count)
        with tempfile.TemporaryDirectory() as folder:
            path = self._saver.save(session, os.path.join(folder, "model"), write_meta_graph=False)
            self._estimator.evaluate(self._input_fn, self._steps, self._hooks, path, self._name)
