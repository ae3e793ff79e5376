"""`train_and_evaluate`: training interleaved with evaluations, and exporters that run after them."""

from __future__ import annotations

import collections
import glob
import os
import shutil
import time
from collections.abc import Callable
from typing import Any

from reflow.api.export import export
from reflow.compat.summary_files import summary_iterator
from reflow.compat.train.file_hooks import CheckpointSaverListener
from reflow.core.logging import logger
from reflow.estimator.estimator import Estimator
from reflow.train.checkpoint_state import latest_checkpoint


@export("estimator.TrainSpec", "compat.v1.estimator.TrainSpec")
class TrainSpec(collections.namedtuple("TrainSpec", ["input_fn", "max_steps", "hooks", "saving_listeners"])):
    """How to train: the inputs, up to which step, with which hooks and listeners.

    >>> tf.estimator.TrainSpec(lambda: None, max_steps=10).max_steps
    10
    """

    def __new__(cls, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(cls, input_fn, max_steps, tuple(hooks or ()), tuple(saving_listeners or ()))


@export("estimator.EvalSpec", "compat.v1.estimator.EvalSpec")
class EvalSpec(
    collections.namedtuple(
        "EvalSpec", ["input_fn", "steps", "name", "hooks", "exporters", "start_delay_secs", "throttle_secs"]
    )
):
    """How to evaluate: the inputs, on how many batches, what to export then, and how long to wait between evaluations.

    >>> tf.estimator.EvalSpec(lambda: None).steps
    100
    """

    def __new__(
        cls, input_fn, steps=100, name=None, hooks=None, exporters=None, start_delay_secs=120, throttle_secs=600
    ):
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if start_delay_secs < 0:
            raise ValueError(f"Must specify start_delay_secs >= 0, given: {start_delay_secs}")
        if throttle_secs < 0:
            raise ValueError(f"Must specify throttle_secs >= 0, given: {throttle_secs}")
        exporters = [exporters] if isinstance(exporters, Exporter) else list(exporters or ())
        names = [exporter.name for exporter in exporters]
        if len(set(names)) != len(names):
            raise ValueError(f"`exporters` must have unique names. Given: {names}")
        return super().__new__(
            cls, input_fn, steps, name, tuple(hooks or ()), tuple(exporters), start_delay_secs, throttle_secs
        )


class _EvaluateAfterSaving(CheckpointSaverListener):
    """Evaluates when a checkpoint was written, not more often than `throttle_secs`.

    The last checkpoint is always evaluated.
    """

    def __init__(self, estimator: Estimator, train_spec: TrainSpec, spec: EvalSpec) -> None:
        self._estimator, self._train_spec, self._spec = estimator, train_spec, spec
        self._last, self._evaluated = time.time(), ""
        self.result: tuple[dict | None, list] = (None, [])
        self._first = True

    def after_save(self, session, global_step_value):
        if self._first:  # the checkpoint of the untrained model
            self._first, self._last = False, time.time()
            return
        if time.time() - self._last >= self._spec.throttle_secs:
            self.evaluate(final=False)
            self._last = time.time()

    def evaluate(self, final: bool) -> None:
        """Evaluate the latest checkpoint, and call the exporters."""
        estimator, spec = self._estimator, self._spec
        path = latest_checkpoint(estimator.model_dir)
        if path is None or path == self._evaluated and not final:
            return
        result = self.result[0]
        if path != self._evaluated:
            result = estimator.evaluate(spec.input_fn, spec.steps, spec.hooks, path, spec.name)
        self._evaluated = path
        exported = []
        for exporter in spec.exporters:
            folder = os.path.join(estimator.model_dir, "export", exporter.name)
            exported.append(exporter.export(estimator, folder, path, result, final))
        self.result = result, exported


@export("estimator.train_and_evaluate", "compat.v1.estimator.train_and_evaluate")
def train_and_evaluate(estimator, train_spec, eval_spec) -> tuple[dict | None, list]:
    """Train up to `train_spec.max_steps`, and evaluate now and then and at the end; returns the last metrics and what
    was exported.

    >>> try:
    ...     tf.estimator.train_and_evaluate(None, None, None)
    ... except TypeError as error:
    ...     print(error)
    `estimator` must have type `tf.estimator.Estimator`, given <class 'NoneType'>
    """
    for value, kind, name in (
        (estimator, Estimator, "estimator"), (train_spec, TrainSpec, "train_spec"), (eval_spec, EvalSpec, "eval_spec"),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"`{name}` must have type `tf.estimator.{kind.__name__}`, given {type(value)}")
    if train_spec.max_steps is not None and estimator._step() >= train_spec.max_steps:
        logger.info("Skipping training since max_steps has already saved.")
    listener = _EvaluateAfterSaving(estimator, train_spec, eval_spec)
    logger.info("Start train and evaluate loop. The evaluate will happen after every checkpoint.")
    estimator.train(
        train_spec.input_fn, train_spec.hooks, max_steps=train_spec.max_steps,
        saving_listeners=[*train_spec.saving_listeners, listener],
    )
    listener.evaluate(final=True)
    return listener.result


# --- exporters


@export("estimator.Exporter", "compat.v1.estimator.Exporter")
class Exporter:
    """Writes a model after an evaluation: `export(estimator, export_path, checkpoint_path, eval_result,
    is_the_final_export)`.

    >>> tf.estimator.FinalExporter("last", lambda: None).name
    'last'
    """

    name: str

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export) -> bytes | None:
        """Write the model; returns its path, or None if there is nothing to write now."""
        raise NotImplementedError


class _Saved(Exporter):
    def __init__(self, name: str, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep) -> None:
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")
        self.name, self._receiver, self._assets, self._as_text = name, serving_input_receiver_fn, assets_extra, as_text
        self._keep = exports_to_keep

    def _write(self, estimator, folder, path) -> bytes:
        written = estimator.export_saved_model(folder, self._receiver, self._assets, self._as_text, path)
        if self._keep is not None:
            found = sorted((f for f in os.listdir(folder) if f.isdigit()), key=int)
            for old in found[: -self._keep]:
                shutil.rmtree(os.path.join(folder, old))
        return written


@export("estimator.FinalExporter", "compat.v1.estimator.FinalExporter")
class FinalExporter(_Saved):
    """Writes the model once, at the end.

    >>> tf.estimator.FinalExporter("last", lambda: None).name
    'last'
    """

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, None)

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if not is_the_final_export:
            return None
        logger.info("Performing the final export in the end of training.")
        return self._write(estimator, export_path, checkpoint_path)


@export("estimator.LatestExporter", "compat.v1.estimator.LatestExporter")
class LatestExporter(_Saved):
    """Writes the model after each evaluation, and keeps the latest.

    >>> tf.estimator.LatestExporter("newest", lambda: None, exports_to_keep=2).name
    'newest'
    """

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False, exports_to_keep=5):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        return self._write(estimator, export_path, checkpoint_path)


def _loss_smaller(best_eval_result: dict, current_eval_result: dict) -> bool:
    if not best_eval_result or "loss" not in best_eval_result:
        raise ValueError("best_eval_result cannot be empty or no loss is found in it.")
    if not current_eval_result or "loss" not in current_eval_result:
        raise ValueError("current_eval_result cannot be empty or no loss is found in it.")
    return best_eval_result["loss"] > current_eval_result["loss"]


@export("estimator.BestExporter", "compat.v1.estimator.BestExporter")
class BestExporter(_Saved):
    """Writes the model when an evaluation was better than all before:
    `compare_fn(best_eval_result, current_eval_result)`.

    What was best before is read from the events in `event_file_pattern`, relative to the model's folder.

    >>> tf.estimator.BestExporter(serving_input_receiver_fn=lambda: None).name
    'best_exporter'
    """

    def __init__(
        self, name="best_exporter", serving_input_receiver_fn=None, event_file_pattern=None,
        compare_fn: Callable = _loss_smaller, assets_extra=None, as_text=False, exports_to_keep=5,
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        self._better, self._events = compare_fn, event_file_pattern
        self._best: dict | None = None
        self._looked = False

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if not self._looked and self._events:
            self._best = self._best_of_events(os.path.join(estimator.model_dir, self._events))
        self._looked = True
        if self._best is not None and not self._better(best_eval_result=self._best, current_eval_result=eval_result):
            return None
        logger.info("Performing best model export.")
        self._best = dict(eval_result)
        return self._write(estimator, export_path, checkpoint_path)

    def _best_of_events(self, pattern: str) -> dict | None:
        best: Any = None
        for path in sorted(glob.glob(pattern)):
            for event in summary_iterator(path):
                values = {v.tag: v.simple_value for v in event.summary.value if v.HasField("simple_value")}
                if values and (best is None or self._better(best_eval_result=best, current_eval_result=values)):
                    best = values
        return best
