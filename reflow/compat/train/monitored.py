"""`MonitoredSession`: a session that initializes, restores, calls hooks around each step, runs queue runners, and
recovers from failures.

A *session creator* creates the underlying session, again if its machine was lost.
"""

from __future__ import annotations

import inspect
import os
from typing import Any

from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.train.file_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from reflow.compat.train.queue_runners import start_queue_runners
from reflow.compat.train.scaffold import USE_DEFAULT, Scaffold
from reflow.compat.train.session_layers import (
    CoordinatedSession,
    HookedSession,
    RecoverableSession,
    StepContext,
    WrappedSession,
)
from reflow.compat.train.session_manager import SessionManager
from reflow.compat.train.session_run_hook import SessionRunHook
from reflow.core import errors
from reflow.train.coordinator import Coordinator


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


class _CoordinatedCreator(SessionCreator):
    """Makes the inner layers of a monitored session, and starts its queue runners."""

    def __init__(self, session_creator, hooks, stop_grace_period_secs):
        self._session_creator, self._hooks, self._grace = session_creator, hooks, stop_grace_period_secs
        self.coord: Coordinator | None = None
        self.tf_sess: Any = None

    def create_session(self):
        self.tf_sess = self._session_creator.create_session()
        self.coord = Coordinator(clean_stop_exception_types=[])
        if get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self.tf_sess, coord=self.coord)
        for hook in self._hooks:
            hook.after_create_session(self.tf_sess, self.coord)
        return CoordinatedSession(HookedSession(self.tf_sess, self._hooks), self.coord, self._grace)


class _Monitored:
    """What `MonitoredSession` and `SingularMonitoredSession` share."""

    _is_monitored_session = True
    StepContext = StepContext

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks = list(hooks or [])
        for hook in self._hooks:
            hook.begin()
        self._coordinated_creator = _CoordinatedCreator(
            session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs
        )
        self._sess: WrappedSession | None = (
            RecoverableSession(self._coordinated_creator) if should_recover
            else self._coordinated_creator.create_session()
        )

    def _tf_sess(self):
        """The session inside, or None after `close`."""
        return self._coordinated_creator.tf_sess

    def _is_closed(self) -> bool:
        return self._tf_sess() is None

    @property
    def graph(self):
        """The graph of the session."""
        return None if self._is_closed() else self._tf_sess().graph

    def _open(self) -> WrappedSession:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")
        return self._sess

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Run a step, with the hooks around it."""
        return self._open().run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn):
        """Call a function with a `StepContext`, in which it may run things with and without hooks.

        Raises:
          StopIteration: the function has called `request_stop`. It ends the `with` block of a session.
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's "
                f"an instance method. Got {names} instead."
            )
        return self._open().run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

    def should_stop(self) -> bool:
        """Whether the training is over: a hook or the end of the data said so."""
        return self._sess is None or self._sess.should_stop()

    def close(self):
        """End the session and notify the hooks."""
        self._close(None)

    def _close(self, error_type):
        creator = self._coordinated_creator
        try:
            if not error_type:
                for hook in self._hooks:
                    hook.end(creator.tf_sess)
        finally:
            graph = get_default_graph() if creator.tf_sess is None else creator.tf_sess.graph
            try:
                self._open().close()
            finally:
                self._sess = creator.tf_sess = creator.coord = None
                if not self._graph_was_finalized:
                    graph._finalized = False

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
        return self._tf_sess()


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
