"""`MonitoredSession`: a session that initializes, restores, calls hooks around each step, runs queue runners, and
recovers from failures.

A *session creator* creates the underlying session, again if its machine was lost.
"""

from __future__ import annotations

import inspect
import os

from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.protos import RunMetadata, RunOptions
from reflow.compat.train.file_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from reflow.compat.train.queue_runners import start_queue_runners
from reflow.compat.train.scaffold import USE_DEFAULT, Scaffold
from reflow.compat.train.session_manager import SessionManager
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from reflow.core import errors
from reflow.core.logging import logger
from reflow.train.coordinator import Coordinator

#: what a process does that was stopped from outside: the session is made again
PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)


@export("compat.v1.train.SessionCreator")
class SessionCreator:
    """Makes sessions.

    >>> class Plain(tf.compat.v1.train.SessionCreator):
    ...     def create_session(self):
    ...         return tf.compat.v1.Session()
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(3)
    ...     with tf.compat.v1.train.MonitoredSession(Plain()) as session:
    ...         session.run(x).item()
    3
    """

    def create_session(self):
        """A new session that is ready to use."""
        raise NotImplementedError(f"create_session is not implemented for {self}.")


@export("compat.v1.train.ChiefSessionCreator")
class ChiefSessionCreator(SessionCreator):
    """Restores a session from a checkpoint, or initialises it.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant(3))
    ...     creator = tf.compat.v1.train.ChiefSessionCreator()
    ...     with tf.compat.v1.train.MonitoredSession(creator) as session:
    ...         session.run(v).item()
    3
    """

    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
        self._checkpoint_dir, self._path = checkpoint_dir, checkpoint_filename_with_path
        self._scaffold = scaffold or Scaffold()
        self._manager: SessionManager | None = None
        self._master, self._config = master, config

    def create_session(self):
        self._scaffold.finalize()
        if self._manager is None:
            self._manager = _manager(self._scaffold)
        return self._manager.prepare_session(
            self._master, saver=self._scaffold.saver, checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._path, config=self._config, init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict, init_fn=self._scaffold.init_fn,
        )


@export("compat.v1.train.WorkerSessionCreator")
class WorkerSessionCreator(SessionCreator):
    """Waits until the chief has initialised the model.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(3)
    ...     creator = tf.compat.v1.train.WorkerSessionCreator(max_wait_secs=60)
    ...     with tf.compat.v1.train.MonitoredSession(creator) as session:
    ...         session.run(x).item()
    3
    """

    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=30 * 60):
        self._scaffold = scaffold or Scaffold()
        self._manager: SessionManager | None = None
        self._master, self._config, self._max_wait_secs = master, config, max_wait_secs

    def create_session(self):
        self._scaffold.finalize()
        if self._manager is None:
            self._manager = _manager(self._scaffold)
        return self._manager.wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)


def _manager(scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op, local_init_feed_dict=scaffold.local_init_feed_dict,
        ready_op=scaffold.ready_op, ready_for_local_init_op=scaffold.ready_for_local_init_op, graph=get_default_graph(),
    )


class _Hooked:
    """A session with its coordinator, which runs hooks around each step."""

    def __init__(self, session, hooks, coordinator, grace):
        self.session, self._hooks, self.coordinator, self._grace = session, hooks, coordinator, grace
        self._stop = False

    def should_stop(self) -> bool:
        return self._stop or self.coordinator.should_stop()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self.session)
        options = options or RunOptions()
        run_metadata = run_metadata or RunMetadata()
        wanted = {"caller": fetches}
        feeds = self._ask(context, wanted, feed_dict, options)
        values = self._run(wanted, feeds, options, run_metadata)
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(values.get(hook), options, run_metadata))
        self._stop = self._stop or context.stop_requested
        return values["caller"]

    def _run(self, fetches, feeds, options, run_metadata):
        try:
            return self.session.run(fetches, feed_dict=feeds, options=options, run_metadata=run_metadata)
        except PREEMPTION_ERRORS:
            raise
        except Exception:
            # a thread may have failed before, and cancelled this step: its error is the cause
            self.coordinator.raise_requested_exception()
            raise

    def _ask(self, context, wanted, feed_dict, options):
        """What the hooks want to fetch and feed, added to what the user wants."""
        hook_feeds: dict = {}
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[hook] = request.fetches
            if request.feed_dict:
                if hook_feeds.keys() & request.feed_dict.keys():
                    raise RuntimeError("Same tensor is fed by two hooks.")
                hook_feeds.update(request.feed_dict)
            if request.options:
                _merge(options, request.options)
        if not feed_dict:
            return hook_feeds
        if hook_feeds.keys() & feed_dict.keys():
            raise RuntimeError("Same tensor is fed by a SessionRunHook and user.")
        return {**feed_dict, **hook_feeds}

    def close(self):
        self.coordinator.request_stop()
        try:
            self.coordinator.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
        finally:
            try:
                self.session.close()
            except PREEMPTION_ERRORS as error:
                logger.error("An error occurred when attempting to close the session: %s", error)


def _merge(options, other):
    """Merge a hook's request: the more detailed trace, the shorter timeout."""
    options.trace_level = max(options.trace_level, other.trace_level)
    times = [t for t in (options.timeout_in_ms, other.timeout_in_ms) if t]
    if times:
        options.timeout_in_ms = max(times)
    options.output_partition_graphs |= other.output_partition_graphs


class StepContext:
    """What a function given to `run_step_fn` gets: the session, and a way to run with hooks."""

    def __init__(self, session, run_with_hooks):
        self._session, self._run_with_hooks = session, run_with_hooks

    session = property(lambda self: self._session)

    def run_with_hooks(self, *args, **kwargs):
        """The same as `MonitoredSession.run`."""
        return self._run_with_hooks(*args, **kwargs)

    def request_stop(self):
        """Leave the step function, and stop training."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Monitored:
    """What `MonitoredSession` and `SingularMonitoredSession` share."""

    _is_monitored_session = True
    StepContext = StepContext

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks = list(hooks or [])
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._recovers, self._grace = should_recover, stop_grace_period_secs
        self._sess: _Hooked | None = None
        self._sess = self._make()

    def _make(self) -> _Hooked:
        while True:
            try:
                return self._make_once()
            except PREEMPTION_ERRORS as error:
                if not self._recovers:
                    raise
                logger.info(
                    "An error was raised while a session was being created. It will be made again. Error: %s", error
                )

    def _make_once(self) -> _Hooked:
        session = self._creator.create_session()
        coordinator = Coordinator(clean_stop_exception_types=[])
        if get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=session, coord=coordinator)
        for hook in self._hooks:
            hook.after_create_session(session, coordinator)
        return _Hooked(session, self._hooks, coordinator, self._grace)

    @property
    def graph(self):
        """The graph of the session."""
        return None if self._sess is None else self._sess.session.graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Run a step, with the hooks around it."""
        return self._retried(lambda: self._open().run(fetches, feed_dict, options, run_metadata))

    def run_step_fn(self, step_fn):
        """Call a function with a `StepContext`, in which it may run things with and without hooks."""
        names = list(inspect.signature(step_fn).parameters)
        if names not in (["step_context"], ["self", "step_context"]):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's "
                f"an instance method. Got {names} instead."
            )

        def step():
            session = self._open()
            return step_fn(StepContext(session.session, session.run))

        try:
            return self._retried(step)
        except StopIteration:
            self._open()._stop = True
            return None

    def _retried(self, step):
        while True:
            try:
                if self._sess is None and self._recovers and not self._closed:
                    self._sess = self._make()
                return step()
            except PREEMPTION_ERRORS as error:
                if not self._recovers:
                    raise
                logger.info(
                    "An error was raised. This may be due to a preemption. A new session will be made. Error: %s", error
                )
                self._open().close()
                self._sess = None

    _closed = False

    def _open(self) -> _Hooked:
        if self._sess is None:
            raise RuntimeError("Session is already closed." if self._closed else "The session was not made.")
        return self._sess

    def should_stop(self) -> bool:
        """Whether the training is over: a hook or the end of the data said so."""
        return self._sess is None or self._sess.should_stop()

    def close(self):
        """End the session and notify the hooks."""
        self._close(None)

    def _close(self, error_type):
        try:
            if not error_type and self._sess is not None:
                for hook in self._hooks:
                    hook.end(self._sess.session)
        finally:
            session, self._sess = self._sess, None
            was_closed, self._closed = self._closed, True
            if not self._graph_was_finalized:
                (session.session.graph if session else get_default_graph())._finalized = False
            if session is None:
                if was_closed:
                    raise RuntimeError("Session is already closed.")
            else:
                session.close()

    def __enter__(self):
        return self

    def __exit__(self, error_type, error, traceback):
        if error_type in (errors.OutOfRangeError, StopIteration):
            error_type = None
        self._close(error_type)
        return error_type is None


@export("compat.v1.train.MonitoredSession")
class MonitoredSession(_Monitored):
    """A session that initialises itself, calls hooks, and is made again when the machine it ran on fails.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     count = tf.compat.v1.assign_add(step, 1)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[tf.compat.v1.train.StopAtStepHook(3)]) as session:
    ...         while not session.should_stop():
    ...             last = session.run(count)
    >>> int(last)
    3
    """

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


@export("compat.v1.train.SingularMonitoredSession")
class SingularMonitoredSession(_Monitored):
    """A monitored session that is not recreated after a failure; `raw_session` is the underlying session.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant(3))
    ...     with tf.compat.v1.train.SingularMonitoredSession() as session:
    ...         session.run(v).item(), isinstance(session.raw_session(), tf.compat.v1.Session)
    (3, True)
    """

    def __init__(
        self, hooks=None, scaffold=None, master="", config=None, checkpoint_dir=None, stop_grace_period_secs=120,
        checkpoint_filename_with_path=None,
    ):
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self):
        """The session without hooks."""
        return self._open().session


def _either(given, default_when, default):
    return default if given is USE_DEFAULT and default_when else None if given is USE_DEFAULT else given


def _summary_hooks(folder, count_steps, steps, secs, scaffold) -> list:
    """The hooks that write to event files: the speed, and summaries."""
    hooks: list[SessionRunHook] = []
    if count_steps and count_steps > 0:
        hooks.append(StepCounterHook(output_dir=folder, every_n_steps=count_steps))
    if (steps and steps > 0) or (secs and secs > 0):
        hooks.append(SummarySaverHook(steps, secs, folder, scaffold=scaffold))
    return hooks


@export("compat.v1.train.MonitoredTrainingSession")
def MonitoredTrainingSession(
    master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None,
    save_checkpoint_secs=USE_DEFAULT, save_summaries_steps=USE_DEFAULT, save_summaries_secs=USE_DEFAULT, config=None,
    stop_grace_period_secs=120, log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=USE_DEFAULT,
    summary_dir=None, save_graph_def=True,
):
    """A monitored session with the hooks of training: checkpoints (every ten minutes), summaries (every 100 steps), the
    speed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
    ...     count = tf.compat.v1.assign_add(tf.compat.v1.train.get_or_create_global_step(), 1)
    ...     stop = tf.compat.v1.train.StopAtStepHook(last_step=3)
    ...     with tf.compat.v1.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=[stop]) as session:
    ...         while not session.should_stop():
    ...             _ = session.run(count)
    ...     tf.compat.v1.summary.FileWriterCache.clear()      # closes the event files
    ...     tf.train.latest_checkpoint(folder).rpartition("/")[2]
    'model.ckpt-3'

    Args:
      checkpoint_dir: where checkpoints are written, and read when training resumes.
      hooks: more hooks; `chief_only_hooks` are for the chief alone.
      save_checkpoint_secs, save_checkpoint_steps: how often to save; None for never.
      save_summaries_secs, save_summaries_steps: how often to write summaries.
      log_step_count_steps: how often to log steps per second.
    """
    none_given = save_summaries_steps is USE_DEFAULT and save_summaries_secs is USE_DEFAULT
    save_summaries_steps = _either(save_summaries_steps, none_given, 100)
    save_summaries_secs = _either(save_summaries_secs, False, None)
    none_given = save_checkpoint_steps is USE_DEFAULT and save_checkpoint_secs is USE_DEFAULT
    save_checkpoint_secs = _either(save_checkpoint_secs, none_given, 600)
    save_checkpoint_steps = _either(save_checkpoint_steps, False, None)
    scaffold = scaffold or Scaffold()
    all_hooks: list[SessionRunHook] = []
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks, stop_grace_period_secs)
    all_hooks.extend(chief_only_hooks or [])
    if summary_dir or checkpoint_dir:
        folder = os.fspath(summary_dir or checkpoint_dir)
        times = save_summaries_steps, save_summaries_secs
        all_hooks.extend(_summary_hooks(folder, log_step_count_steps, *times, scaffold))
    if checkpoint_dir and (
        (save_checkpoint_secs and save_checkpoint_secs > 0) or (save_checkpoint_steps and save_checkpoint_steps > 0)
    ):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir, save_secs=save_checkpoint_secs, save_steps=save_checkpoint_steps, scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    all_hooks.extend(hooks or [])
    chief = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(chief, all_hooks, stop_grace_period_secs)
