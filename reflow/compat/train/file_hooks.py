"""Hooks that write files: checkpoints, summaries, training speed, profiles."""

from __future__ import annotations

import os

from reflow.api.export import export
from reflow.api.framework.graph_names import write_graph
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.meta_graph import create_meta_graph_def
from reflow.compat.protos import RunOptions, SessionLog, Summary
from reflow.compat.summary_files import FileWriterCache
from reflow.compat.train.global_step import get_or_create_global_step
from reflow.compat.train.hooks import SecondOrStepTimer
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunHook
from reflow.core.logging import logger


@export(
    "compat.v1.train.CheckpointSaverListener", "estimator.CheckpointSaverListener",
    "compat.v1.estimator.CheckpointSaverListener",
)
class CheckpointSaverListener:
    """Something that is called before and after each checkpoint. Each method may be left out.

    >>> import tempfile
    >>> class Told(tf.compat.v1.train.CheckpointSaverListener):
    ...     def after_save(self, session, global_step_value):
    ...         print("saved at step", global_step_value)
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
    ...     count = tf.compat.v1.assign_add(tf.compat.v1.train.get_or_create_global_step(), 1)
    ...     hook = tf.compat.v1.train.CheckpointSaverHook(folder, save_steps=10, listeners=[Told()])
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         for _ in range(3):
    ...             _ = session.run(count)
    saved at step 0
    saved at step 3
    """

    def begin(self):
        """Called once, before the session is made."""

    def before_save(self, session, global_step_value):
        """Called before a checkpoint is written."""

    def after_save(self, session, global_step_value):
        """Called after a checkpoint was written; true ends the training."""

    def end(self, session, global_step_value):
        """Called at the end."""


def one_saver(saver, scaffold, what: str):
    """The saver that a hook was given, or that of its scaffold, or the graph's only one."""
    if saver is not None:
        return saver
    if scaffold is not None:
        return scaffold.saver
    savers = get_default_graph().get_collection(GraphKeys.SAVERS)
    if not savers:
        raise RuntimeError(
            f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or "
            "provide a saver or scaffold."
        )
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by "
            "passing it to the constructor."
        )
    return savers[0]


def _counted(what: str):
    """The global step, for a hook that cannot do without."""
    step = get_or_create_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {what}.")
    return step


@export(
    "compat.v1.train.CheckpointSaverHook", "estimator.CheckpointSaverHook", "compat.v1.estimator.CheckpointSaverHook"
)
class CheckpointSaverHook(SessionRunHook):
    """Writes a checkpoint when training begins, every few steps or seconds, and at the end.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
    ...     count = tf.compat.v1.assign_add(tf.compat.v1.train.get_or_create_global_step(), 1)
    ...     hook = tf.compat.v1.train.CheckpointSaverHook(folder, save_steps=10)
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         for _ in range(3):
    ...             _ = session.run(count)
    ...     tf.train.latest_checkpoint(folder).rpartition("/")[2]
    'model.ckpt-3'
    """

    def __init__(
        self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt",
        scaffold=None, listeners=None, save_graph_def=True,
    ):
        logger.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._checkpoint_dir = os.fspath(checkpoint_dir)
        self._save_path = os.path.join(self._checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []
        self._save_graph_def = save_graph_def

    def begin(self):
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = _counted("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = session.run(self._global_step_tensor)
        definition = get_default_graph().as_graph_def(add_shapes=True)
        if self._save_graph_def:
            write_graph(definition, self._checkpoint_dir, "graph.pbtxt")
        self._summary_writer.add_graph(session.graph)
        saver = one_saver(self._saver, self._scaffold, "CheckpointSaverHook")
        self._summary_writer.add_meta_graph(
            create_meta_graph_def(graph_def=definition, saver_def=saver.as_saver_def())
        )
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        if self._timer.should_trigger_for_step(run_values.results + 1):
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                self._timer.update_last_triggered_step(step)
                if self._save(run_context.session, step):
                    run_context.request_stop()

    def end(self, session):
        last_step = session.run(self._global_step_tensor)
        if last_step != self._timer.last_triggered_step():
            self._save(session, last_step)
        for listener in self._listeners:
            listener.end(session, last_step)

    def _save(self, session, step) -> bool:
        """Write a checkpoint; true if a listener wants to stop."""
        logger.info("Calling checkpoint listeners before saving checkpoint %d...", step)
        for listener in self._listeners:
            listener.before_save(session, step)
        logger.info("Saving checkpoints for %d into %s.", step, self._save_path)
        saver = one_saver(self._saver, self._scaffold, "CheckpointSaverHook")
        saver.save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)
        logger.info("Calling checkpoint listeners after saving checkpoint %d...", step)
        stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logger.info(f"A CheckpointSaverListener requested that training be stopped. listener: {listener}")
                stop = True
        return stop


@export("compat.v1.train.StepCounterHook", "estimator.StepCounterHook", "compat.v1.estimator.StepCounterHook")
class StepCounterHook(SessionRunHook):
    """Writes how many steps are done in a second.

    >>> import glob, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
    ...     count = tf.compat.v1.assign_add(tf.compat.v1.train.get_or_create_global_step(), 1)
    ...     hook = tf.compat.v1.train.StepCounterHook(every_n_steps=2, output_dir=folder)
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         _ = [session.run(count) for _ in range(5)]
    ...     tf.compat.v1.summary.FileWriterCache.clear()
    ...     events = list(tf.compat.v1.train.summary_iterator(glob.glob(folder + "/events*")[0]))
    >>> [(event.step, value.tag) for event in events for value in event.summary.value]
    [(3, 'global_step/sec'), (5, 'global_step/sec')]
    """

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._last_global_step = None

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = _counted("StepCounterHook")
        self._summary_tag = self._global_step_tensor.name.removesuffix(":0") + "/sec"

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        rate = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = Summary.Value(tag=self._summary_tag, simple_value=rate)
            self._summary_writer.add_summary(Summary(value=[value]), global_step)
        logger.info("%s: %g", self._summary_tag, rate)

    def after_run(self, run_context, run_values):
        stale = run_values.results
        if not self._timer.should_trigger_for_step(stale + 1):
            return
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            elapsed_time, elapsed_steps = self._timer.update_last_triggered_step(step)
            if elapsed_time is not None:
                self._log_and_record(elapsed_steps, elapsed_time, step)
        if stale == self._last_global_step:
            logger.warning(
                "It seems that global step (tf.train.get_global_step) has not been increased. Current value (could be "
                "stable): %s vs previous value: %s. You could increase the global step by passing "
                "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                stale,
                self._last_global_step,
            )
        self._last_global_step = stale


@export("compat.v1.train.SummarySaverHook", "estimator.SummarySaverHook", "compat.v1.estimator.SummarySaverHook")
class SummarySaverHook(SessionRunHook):
    """Writes summaries every few steps or seconds.

    >>> import glob, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     count = tf.compat.v1.assign_add(step, 1)
    ...     summary = tf.compat.v1.summary.scalar("loss", 0.5)
    ...     hook = tf.compat.v1.train.SummarySaverHook(save_steps=2, output_dir=folder, summary_op=summary)
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         for _ in range(3):
    ...             _ = session.run(count)
    ...     tf.compat.v1.summary.FileWriterCache.clear()
    ...     events = list(tf.compat.v1.train.summary_iterator(glob.glob(folder + "/events*")[0]))
    >>> [(event.step, value.tag) for event in events for value in event.summary.value]
    [(1, 'loss'), (3, 'loss')]
    """

    def __init__(
        self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None
    ):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step = None
        self._global_step_tensor = _counted("SummarySaverHook")

    def before_run(self, run_context):
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        requests = {"global_step": self._global_step_tensor}
        summaries = self._get_summary_op()
        if self._request_summary and summaries is not None:
            requests["summary"] = summaries
        return SessionRunArgs(requests)

    def after_run(self, run_context, run_values):
        if not self._summary_writer:
            return
        stale = run_values.results["global_step"]
        step = stale + 1
        if self._next_step is None or self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session=None):
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self):
        found = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        if found is None:
            return None
        return list(found) if isinstance(found, (list, tuple)) else [found]


@export("compat.v1.train.ProfilerHook", "estimator.ProfilerHook", "compat.v1.estimator.ProfilerHook")
class ProfilerHook(SessionRunHook):
    """Writes `timeline-STEP.json` every few steps or seconds: what ran when, for Chrome's `about:tracing`.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
    ...     hook = tf.compat.v1.train.ProfilerHook(save_steps=2, output_dir=folder)
    ...     step = tf.compat.v1.train.create_global_step()
    ...     next_step = step.assign_add(1)
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         steps = [session.run(next_step) for _ in range(3)]
    ...     sorted(name for name in os.listdir(folder) if name.startswith("timeline"))
    ['timeline-2.json']
    """

    def __init__(self, save_steps=None, save_secs=None, output_dir="", show_dataflow=True, show_memory=False):
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._file_writer = FileWriterCache.get(output_dir)
        self._show_dataflow, self._show_memory = show_dataflow, show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        self._next_step = None
        self._global_step_tensor = _counted("ProfilerHook")

    def before_run(self, run_context):
        self._request = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._request else None
        return SessionRunArgs({"global_step": self._global_step_tensor}, options=options)

    def after_run(self, run_context, run_values):
        step = run_values.results["global_step"] + 1
        if self._next_step is None:
            self._timer.update_last_triggered_step(run_values.results["global_step"])
        if self._request:
            step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata.step_stats)
            self._file_writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next_step = step + 1

    def _save(self, step, stats):
        from reflow.compat.sessions.timeline import Timeline

        path = self._output_file.format(step)
        logger.info("Saving timeline for %d into '%s'.", step, path)
        with open(path, "w") as file:
            trace = Timeline(stats).generate_chrome_trace_format(self._show_dataflow, self._show_memory)
            file.write(trace)
