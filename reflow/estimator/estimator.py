"""`Estimator`: a model function with a folder, in which it is trained, evaluated and exported.

Every call builds a graph from the input function and the model function, and runs it in a monitored session that
restores the latest checkpoint of the folder. So training resumes where it stopped, even after the process was killed.
"""

from __future__ import annotations

import copy
import inspect
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from reflow.api.control.printing import group
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.api.random.sampling import set_seed
from reflow.compat import summary, summary_files
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.metrics.means import mean
from reflow.compat.protos import ConfigProto, Summary
from reflow.compat.train import warm_starting
from reflow.compat.train.file_hooks import CheckpointSaverHook
from reflow.compat.train.global_step import create_global_step
from reflow.compat.train.hooks import FinalOpsHook, LoggingTensorHook, NanTensorHook, StopAtStepHook
from reflow.compat.train.monitored import ChiefSessionCreator, MonitoredSession, MonitoredTrainingSession
from reflow.compat.train.saver import Saver
from reflow.compat.train.scaffold import Scaffold
from reflow.compat.train.session_run_hook import SessionRunHook
from reflow.compat.train.towers import Towers
from reflow.core.logging import logger
from reflow.estimator import warm_start
from reflow.estimator.input_functions import called, features_and_labels
from reflow.estimator.run_config import RunConfig
from reflow.estimator.spec import EstimatorSpec, ModeKeys
from reflow.graph.graph import Graph
from reflow.train.checkpoint_reader import load_checkpoint
from reflow.train.checkpoint_state import latest_checkpoint


class StopAfterEvals(SessionRunHook):
    """Ends an evaluation after some batches, and says in the log how far it is."""

    def __init__(self, steps: int | None) -> None:
        self._steps, self._done = steps, 0

    def after_run(self, run_context, run_values):
        self._done += 1
        if self._steps is None:
            return
        every = max(1, self._steps // 10)
        if self._done % every == 0 or self._done == self._steps:
            logger.info("Evaluation [%d/%d]", self._done, self._steps)
        if self._done >= self._steps:
            run_context.request_stop()


@export("estimator.Estimator", "compat.v1.estimator.Estimator")
class Estimator:
    """Trains and evaluates a model that a function describes.

    `model_fn(features, labels, mode, params, config)` (the last four as far as it takes them) returns an
    `EstimatorSpec`. `params` is given to it as it is; `warm_start_from` names a checkpoint from which variables start
    when there is none in `model_dir` yet.

    >>> def model_fn(features, labels, mode):
    ...     w = tf.compat.v1.get_variable("w", initializer=0.0)
    ...     loss = tf.reduce_mean((w - labels) ** 2)
    ...     optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.5)
    ...     step = tf.compat.v1.train.get_global_step()
    ...     return tf.estimator.EstimatorSpec(mode, w, loss, optimizer.minimize(loss, step))
    >>> import tempfile
    >>> estimator = tf.estimator.Estimator(model_fn, model_dir=tempfile.mkdtemp())
    >>> _ = estimator.train(lambda: ({"x": tf.zeros([1])}, tf.constant([3.0])), steps=1)
    >>> float(estimator.get_variable_value("w"))
    3.0
    """

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
        self._config = config or RunConfig()
        if not isinstance(self._config, RunConfig):
            raise ValueError(f"config must be an instance of `RunConfig`. Received: {self._config}")
        self._config = self._with_folder(self._config, model_dir)
        logger.info("Using config: %s", self._config._values)
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        _check_model_fn(model_fn, params)
        self._model_fn, self._params = model_fn, copy.deepcopy(params or {})
        self._warm_start = warm_start.settings_of(warm_start_from)
        self._session_config = self._config.session_config or ConfigProto(allow_soft_placement=True)

    @staticmethod
    def _with_folder(config: RunConfig, model_dir: Any) -> RunConfig:
        if model_dir is not None:
            model_dir = os.fspath(model_dir)
            if config.model_dir is not None and config.model_dir != model_dir:
                raise ValueError(
                    "`model_dir` are set both in constructor and `RunConfig`, but with different values. In "
                    f"constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "
                )
        folder = model_dir or config.model_dir
        if folder is None:
            folder = tempfile.mkdtemp()
            logger.warning("Using temporary folder as model directory: %s", folder)
        return config.replace(model_dir=folder)

    model_dir = property(lambda self: self._config.model_dir, doc="The folder of checkpoints and events.")
    config = property(lambda self: copy.deepcopy(self._config))
    params = property(lambda self: copy.deepcopy(self._params))

    @property
    def model_fn(self) -> Callable:
        """The model function, with `params` given."""
        return lambda features, labels, mode, config: self._called(features, labels, mode, config)

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the latest checkpoint."""
        return sorted(load_checkpoint(self._trained()).get_variable_to_shape_map())

    def get_variable_value(self, name: str) -> np.ndarray:
        """The value of a variable in the latest checkpoint."""
        return load_checkpoint(self._trained()).get_tensor(name)

    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint, or None."""
        return latest_checkpoint(self.model_dir)

    def eval_dir(self, name: str | None = None) -> str:
        """The folder of the events of an evaluation."""
        return os.path.join(self.model_dir, "eval" if not name else f"eval_{name}")

    def _trained(self) -> str:
        found = latest_checkpoint(self.model_dir)
        if found is None:
            raise ValueError(f"Could not find trained model in model_dir: {self.model_dir}.")
        return found

    # --- the model

    def _graph(self) -> Graph:
        return Graph()

    def _called(self, features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        names = set(inspect.signature(self._model_fn).parameters)
        if "labels" not in names and labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        offered = {"labels": labels, "mode": mode, "params": self.params, "config": config}
        first = next(iter(inspect.signature(self._model_fn).parameters))
        logger.info("Calling model_fn.")
        spec = called(
            self._model_fn, **{first: features}, **{k: v for k, v in offered.items() if k in names and k != first}
        )
        logger.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _build(self, input_fn: Callable, mode: str) -> tuple[EstimatorSpec, list, Any]:
        """The graph of a mode, which is the default graph.

        What the model function gives, and the hooks of the inputs.
        """
        if self._config.tf_random_seed is not None:
            set_seed(self._config.tf_random_seed)
        step = create_global_step()
        devices = self._config.train_devices if mode == ModeKeys.TRAIN else ()
        batches, hooks = features_and_labels(input_fn, mode, self._params, self._config, max(len(devices), 1))
        if len(batches) > 1:
            return self._towers(devices, batches), hooks, step
        features, labels = batches[0]
        with get_default_graph().device(devices[0] if devices else None):
            return self._called(features, labels, mode, self._config), hooks, step

    def _towers(self, devices: Sequence[str], batches: list) -> EstimatorSpec:
        """The training of a model on several devices.

        The first one's operations, which apply the gradients of all, and the mean loss.
        """
        towers, specs = Towers(devices), []
        for i, (features, labels) in enumerate(batches):
            with towers.tower(i):
                specs.append(self._called(features, labels, ModeKeys.TRAIN, self._config))
        towers.finish()
        return specs[0]._replace(loss=arithmetic.add_n([spec.loss for spec in specs]) / len(specs))

    def _saver(self, scaffold: Scaffold) -> None:
        """The graph's saver, unless the model provides one."""
        if scaffold.saver is None and not get_default_graph().get_collection(GraphKeys.SAVERS):
            saver = Saver(
                sharded=True, max_to_keep=self._config.keep_checkpoint_max, defer_build=True, save_relative_paths=True,
                keep_checkpoint_every_n_hours=self._config.keep_checkpoint_every_n_hours,
            )
            get_default_graph().add_to_collection(GraphKeys.SAVERS, saver)

    # --- training

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None) -> Estimator:
        """Train until the inputs end, for `steps` steps more, or up to `max_steps` in all.

        `hooks` are called around each step; `saving_listeners` around each checkpoint.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, value in (("steps", steps), ("max_steps", max_steps)):
            if value is not None and value <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {value}")
        if max_steps is not None and self._step() >= max_steps:
            logger.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = list(hooks or [])
        if steps is not None or max_steps is not None:
            all_hooks.append(StopAtStepHook(steps, max_steps))
        with self._graph().as_default():
            loss = self._train(input_fn, all_hooks, list(saving_listeners or []))
        logger.info("Loss for final step: %s.", loss)
        return self

    def _step(self) -> int:
        found = latest_checkpoint(self.model_dir)
        return int(load_checkpoint(found).get_tensor("global_step")) if found else 0

    def _train(self, input_fn: Callable, hooks: list, listeners: list) -> Any:
        spec, input_hooks, step = self._build(input_fn, ModeKeys.TRAIN)
        get_default_graph().add_to_collection(GraphKeys.LOSSES, spec.loss)
        tags = {node.name.rpartition("/")[2] for node in get_default_graph().get_operations()}
        if "loss" not in tags:
            summary.scalar("loss", spec.loss)
        self._saver(spec.scaffold)
        scaffold = spec.scaffold
        if self._warm_start is not None and not latest_checkpoint(self.model_dir):
            warm_starting.warm_start(*self._warm_start)
        logged = {"loss": spec.loss, "step": step}
        all_hooks = [
            *input_hooks, NanTensorHook(spec.loss),
            LoggingTensorHook(logged, every_n_iter=self._config.log_step_count_steps or 100), *hooks,
            *spec.training_hooks,
        ]
        savers = self._saver_hooks(scaffold, [*hooks, *spec.training_hooks, *spec.training_chief_hooks], listeners)
        loss, any_step = None, False
        with MonitoredTrainingSession(
            checkpoint_dir=self.model_dir, scaffold=scaffold, hooks=all_hooks,
            chief_only_hooks=[*savers, *spec.training_chief_hooks], save_checkpoint_secs=0,
            save_summaries_steps=self._config.save_summary_steps, config=self._session_config,
            log_step_count_steps=self._config.log_step_count_steps,
        ) as session:
            while not session.should_stop():
                _, loss = session.run([spec.train_op, spec.loss])
                any_step = True
        if not any_step:
            logger.warning("Training with estimator made no steps. Perhaps input is empty or misspecified.")
        return loss

    def _saver_hooks(self, scaffold: Scaffold, hooks: list, listeners: list) -> list:
        """The hook that writes checkpoints, unless there is one; listeners are attached to it in either case."""
        found = [hook for hook in hooks if isinstance(hook, CheckpointSaverHook)]
        config = self._config
        if not found and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            hook = CheckpointSaverHook(
                self.model_dir, save_secs=config.save_checkpoints_secs, save_steps=config.save_checkpoints_steps,
                scaffold=scaffold, listeners=listeners, save_graph_def=config.checkpoint_save_graph_def,
            )
            return [hook]
        if listeners and not found:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
                "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        for listener in listeners:
            found[0]._listeners.append(listener)
        return []

    # --- evaluation

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None) -> dict:
        """The metrics of the model on `steps` batches, or on all: a dictionary, with the mean "loss" and "global_step".

        They are also written as events to the folder `eval` (or `eval_name`) below the model's.
        """
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        path = checkpoint_path or latest_checkpoint(self.model_dir)
        if path is None:
            logger.info(
                "Could not find trained model in model_dir: %s, running initialization to evaluate.", self.model_dir
            )
        # each takes a batch of a step; metrics are sums, so one can do it for all
        replicas = len(self._config.eval_devices) or 1
        with self._graph().as_default():
            values = self._evaluate(input_fn, path, list(hooks or []), steps and steps * replicas)
            write_metrics(self.eval_dir(name), values, path)
        return values

    def _evaluate(self, input_fn: Callable, path: str | None, hooks: list, steps: int | None) -> dict:
        spec, input_hooks, step = self._build(input_fn, ModeKeys.EVAL)
        metrics = dict(spec.eval_metric_ops)
        if "loss" in metrics:
            raise ValueError(
                'Metric with name "loss" is not allowed, because Estimator already defines a default '
                'metric with the same name.'
            )
        metrics["loss"] = mean(spec.loss)
        update = group(*[pair[1] for pair in metrics.values()])
        values = {name: pair[0] for name, pair in metrics.items()} | {"global_step": step}
        final = FinalOpsHook(values)
        all_hooks = [*input_hooks, *hooks, *spec.evaluation_hooks, StopAfterEvals(steps), final]
        logger.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%S"))
        creator = ChiefSessionCreator(spec.scaffold, checkpoint_filename_with_path=path, config=self._session_config)
        with MonitoredSession(creator, all_hooks) as session:
            while not session.should_stop():
                session.run(update)
        logger.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S"))
        return final.final_ops_values

    # --- prediction

    def predict(
        self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True
    ) -> Iterator[Any]:
        """The predictions for the examples of `input_fn`, one by one, or batch by batch.

        `predict_keys` (one or a list) leaves out others; an unknown one raises `ValueError`.
        """
        path = checkpoint_path or latest_checkpoint(self.model_dir)
        if path is None:
            logger.info(
                "Could not find trained model in model_dir: %s, running initialization to predict.", self.model_dir
            )
        with self._graph().as_default():
            spec, input_hooks, _ = self._build(lambda **kw: _without_labels(input_fn, kw), ModeKeys.PREDICT)
            predictions = _chosen_keys(spec.predictions, predict_keys)
            creator = ChiefSessionCreator(
                spec.scaffold, checkpoint_filename_with_path=path, config=self._session_config
            )
            with MonitoredSession(creator, [*input_hooks, *(hooks or []), *spec.prediction_hooks]) as session:
                while not session.should_stop():
                    batch = session.run(predictions)
                    if yield_single_examples:
                        yield from _examples_of(batch)
                    else:
                        yield batch

    # --- export

    def export_saved_model(
        self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False, checkpoint_path=None,
        experimental_mode=ModeKeys.PREDICT,
    ) -> bytes:
        """Write a SavedModel with the model's signatures to a new folder of `export_dir_base`, named by the time;
        returns its path.

        `assets_extra` maps names below `assets.extra/` to files that are copied there.
        """
        from reflow.estimator import exporting

        path = checkpoint_path or self._trained()
        return exporting.export(
            self, export_dir_base, serving_input_receiver_fn, assets_extra, as_text, path, experimental_mode
        )

    def export_savedmodel(
        self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False, checkpoint_path=None,
        strip_default_attrs=False,
    ) -> bytes:
        """The old name of `export_saved_model`; attributes with default values are always written."""
        if strip_default_attrs:
            raise ValueError("export_savedmodel: `strip_default_attrs` is not supported.")
        return self.export_saved_model(
            export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
        )


def _check_model_fn(model_fn: Callable, params: Any) -> None:
    parameters = inspect.signature(model_fn).parameters
    if not parameters:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if params is not None and "params" not in parameters and not takes_all:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to Estimator."
        )


def _examples_of(batch: Any) -> Iterator[Any]:
    """The predictions for each example of a batch."""
    if not isinstance(batch, dict):
        yield from batch
        return
    sizes = {len(value) for value in batch.values()}
    if len(sizes) != 1:
        raise ValueError(
            f"Batch length of predictions should be same. {sorted(batch)} have lengths {sorted(sizes)}."
        )
    for i in range(sizes.pop()):
        yield {key: value[i] for key, value in batch.items()}


def _without_labels(input_fn: Callable, offered: dict) -> Any:
    """The features of an input function; labels of a prediction are left out."""
    result = called(input_fn, **offered)
    return result[0] if isinstance(result, (list, tuple)) else result


def _chosen_keys(predictions: Any, keys: Any) -> Any:
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    wanted = [keys] if isinstance(keys, str) else list(keys)
    chosen = {key: value for key, value in predictions.items() if key in wanted}
    if not chosen:
        raise ValueError(f"Expected to run at least one output from {list(predictions)}, provided {keys}.")
    return chosen


def write_metrics(folder: str, values: dict, path: str | None) -> None:
    """The metrics of an evaluation as one event, and a line in the log."""
    step = int(values["global_step"])
    text = ", ".join(f"{key} = {_shown(value)}" for key, value in sorted(values.items()))
    logger.info("Saving dict for global step %d: %s", step, text)
    writer = summary_files.FileWriter(folder)
    record = Summary()
    for key, value in values.items():
        if key != "global_step" and np.ndim(value) == 0 and np.asarray(value).dtype.kind in "fiub":
            record.value.add(tag=key, simple_value=float(value))
    writer.add_summary(record, step)
    if path:
        logger.info("Saving 'checkpoint_path' summary for global step %d: %s", step, path)
    writer.close()


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, (int, np.integer)) else f"{value}"
